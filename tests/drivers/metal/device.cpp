// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "../simulator/stream.hpp"
#include "buffer.hpp"
#include "command_queue.hpp"
#include "library.hpp"
#include "pipeline.hpp"
#include "shared_event.hpp"

#include <chrono>
#include <cstdio>

using simulator::Lock;
using simulator::world;

namespace simulator {

// Those of an M1, so that limits are where a real one has them.
std::map<int, int> attributes_of(int, int) {
  return {{kCooperativeLaunch, 0},
          {kMaxBlocksPerMultiprocessor, 32},
          {kMaxBlockX, 1024},
          {kMaxBlockY, 1024},
          {kMaxBlockZ, 1024},
          {kMaxGridX, 2147483647},
          {kMaxGridY, 2147483647},
          {kMaxGridZ, 2147483647},
          {kMaxThreadsPerBlock, 1024},
          {kMaxThreadsPerMultiprocessor, 1024},
          {kMultiprocessors, 8},
          {kMaxSharedPerBlock, 32768},
          {kMaxSharedPerBlockOptIn, 32768},
          {kMaxSharedPerMultiprocessor, 65536},
          {kWarpSize, 32},
          {kMemoryPools, 0},
          {kClusterLaunch, 0},
          {kUnified, 1},
          {kPageSize, 4096}};
}

std::string uuid_text(int number) {
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016x", static_cast<unsigned>(number));
  return digits;
}

}  // namespace simulator

namespace metal {

const Class &MTLDevice::kClass = *new Class(
    "MTLDevice", nullptr,
    {getter<&MTLDevice::name>("name"),
     getter<&MTLDevice::registryID>("registryID"),
     getter<&MTLDevice::maxThreadsPerThreadgroup>("maxThreadsPerThreadgroup"),
     getter<&MTLDevice::no>("isLowPower"),
     getter<&MTLDevice::no>("isHeadless"),
     getter<&MTLDevice::no>("isRemovable"),
     getter<&MTLDevice::hasUnifiedMemory>("hasUnifiedMemory"),
     getter<&MTLDevice::recommendedMaxWorkingSetSize>("recommendedMaxWorkingSetSize"),
     getter<&MTLDevice::zero>("location"),  // built in
     getter<&MTLDevice::zero>("locationNumber"),
     getter<&MTLDevice::zero>("maxTransferRate"),
     getter<&MTLDevice::currentAllocatedSize>("currentAllocatedSize"),
     getter<&MTLDevice::maxThreadgroupMemoryLength>("maxThreadgroupMemoryLength"),
     getter<&MTLDevice::maxBufferLength>("maxBufferLength"),
     getter<&MTLDevice::supportsFamily>("supportsFamily:"),
     method<&MTLDevice::sampleTimestamps>("sampleTimestamps:gpuTimestamp:"),
     method<&MTLDevice::newCommandQueue>("newCommandQueue"),
     method<&MTLDevice::newQueueWithMost>("newCommandQueueWithMaxCommandBufferCount:"),
     method<&MTLDevice::newBuffer>("newBufferWithLength:options:"),
     method<&MTLDevice::newBufferWithBytes>("newBufferWithBytes:length:options:"),
     method<&MTLDevice::newBufferNoCopy>("newBufferWithBytesNoCopy:length:options:deallocator:"),
     method<&MTLDevice::newLibraryWithSource>("newLibraryWithSource:options:error:"),
     method<&MTLDevice::newLibraryWithData>("newLibraryWithData:error:"),
     method<&MTLDevice::newLibraryWithURL>("newLibraryWithURL:error:"),
     method<&MTLDevice::newPipeline>("newComputePipelineStateWithFunction:error:"),
     method<&MTLDevice::newPipelineReflected>(
         "newComputePipelineStateWithFunction:options:reflection:error:"),
     method<&MTLDevice::newPipelineDescribed>(
         "newComputePipelineStateWithDescriptor:options:reflection:error:"),
     method<&MTLDevice::newSharedEvent>("newSharedEvent")});

const Class &OfDevice::kClass =
    *new Class("OfDevice", nullptr,
               {getter<&OfDevice::device>("device"), get<&OfDevice::label>("label"),
                set<&OfDevice::label>("setLabel:")});

MTLDevice::MTLDevice(simulator::Device &simulated)
    : Object(kClass), context(primary_context(simulated)) {}

std::vector<Ref<MTLDevice>> MTLDevice::all() {
  static auto *const made = new std::vector<Ref<MTLDevice>>;
  if (simulator::forked()) return {};
  const Lock lock(world().mutex);
  if (!world().initialised) {
    try {
      world().start();
    } catch (const simulator::Failure &) {
      return {};
    }
    for (const auto &each : world().devices) made->push_back(make<MTLDevice>(*each));
  }
  return *made;
}

uint64_t MTLDevice::page() const {
  return static_cast<uint64_t>(simulated().attribute(simulator::kPageSize));
}

// In proportion to the memory as on an M1 of 16 GiB.
NSUInteger MTLDevice::maxBufferLength() {
  return simulated().memory() / 9 * 5 / page() * page();
}

NSUInteger MTLDevice::maxThreadgroupMemoryLength() {
  return static_cast<uint64_t>(simulated().attribute(simulator::kMaxSharedPerBlock));
}

NSString *MTLDevice::name() {
  return autoreleased("Simulated GPU");
}

bool MTLDevice::hasUnifiedMemory() {
  return simulated().attribute(simulator::kUnified) != 0;
}

uint64_t MTLDevice::recommendedMaxWorkingSetSize() {
  return simulated().memory() / 3 * 2;
}

NSUInteger MTLDevice::currentAllocatedSize() {
  const Lock lock(world().mutex);
  return simulated().used();
}

bool MTLDevice::supportsFamily(NSInteger family) {
  const auto between = [family](NSInteger first, NSInteger last) {
    return family >= first && family <= last;
  };
  return between(MTLGPUFamilyApple1, MTLGPUFamilyApple1 + simulated().architecture() - 1) ||
         between(MTLGPUFamilyMac1, MTLGPUFamilyMac2) ||
         between(MTLGPUFamilyCommon1, MTLGPUFamilyCommon3) || family == MTLGPUFamilyMetal3;
}

void MTLDevice::sampleTimestamps(uint64_t *cpu, uint64_t *gpu) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  *cpu = *gpu = static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

MTLCommandQueue *MTLDevice::newCommandQueue() {
  return newQueueWithMost(64);
}

MTLCommandQueue *MTLDevice::newQueueWithMost(NSUInteger most) {
  return make<MTLCommandQueue>(*this, most).leak();
}

MTLBuffer *MTLDevice::newBuffer(NSUInteger length, NSUInteger options) {
  return MTLBuffer::allocate(*this, length, options).leak();
}

MTLBuffer *MTLDevice::newBufferWithBytes(const void *bytes, NSUInteger length, NSUInteger options) {
  auto made = MTLBuffer::allocate(*this, length, options);
  void *const contents = made->contents();
  if (contents == nullptr) {
    note_misuse("newBufferWithBytes:length:options: of private memory");
    return nullptr;
  }
  std::memcpy(contents, bytes, length);
  return made.leak();
}

MTLBuffer *MTLDevice::newBufferNoCopy(void *bytes, NSUInteger length, NSUInteger options,
                                      const void *deallocator) {
  return MTLBuffer::wrap(*this, bytes, length, options, deallocator).leak();
}

MTLSharedEvent *MTLDevice::newSharedEvent() {
  return make<MTLSharedEvent>(*this).leak();
}

}  // namespace metal

using namespace metal;

SIMULATED_EXPORT NSArray *MTLCopyAllDevices() {
  std::vector<Ref<Object>> devices;
  for (const auto &each : MTLDevice::all()) devices.emplace_back(each.get());
  return make<NSArray>(std::move(devices)).leak();
}
