// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_DEVICE_HPP_
#define NEXUS_SIMULATED_METAL_DEVICE_HPP_

#include "../simulator/context.hpp"
#include "../simulator/device.hpp"
#include "foundation.hpp"

namespace metal {

struct MTLBuffer;
struct MTLCommandQueue;
struct MTLCompileOptions;
struct MTLComputePipelineDescriptor;
struct MTLComputePipelineReflection;
struct MTLComputePipelineState;
struct MTLFunction;
struct MTLLibrary;
struct MTLSharedEvent;

struct MTLDevice : Object {
  static const Class &kClass;
  explicit MTLDevice(simulator::Device &simulated);
  // Those of the machine, made at the first call; none in the child of a fork.
  static std::vector<Ref<MTLDevice>> all();

  simulator::Device &simulated() const { return context.device(); }
  uint64_t page() const;  // bytes

  // ---- What it is ----
  NSString *name();
  uint64_t registryID() { return 0x100000400u + static_cast<unsigned>(simulated().number()); }
  MTLSize maxThreadsPerThreadgroup() { return {1024, 1024, 1024}; }
  bool no() { return false; }
  NSUInteger zero() { return 0; }
  bool hasUnifiedMemory();
  uint64_t recommendedMaxWorkingSetSize();
  NSUInteger currentAllocatedSize();
  NSUInteger maxBufferLength();
  NSUInteger maxThreadgroupMemoryLength();
  bool supportsFamily(NSInteger family);
  void sampleTimestamps(uint64_t *cpu, uint64_t *gpu);

  // ---- What it makes ----
  MTLCommandQueue *newCommandQueue();
  MTLCommandQueue *newQueueWithMost(NSUInteger most);
  MTLBuffer *newBuffer(NSUInteger length, NSUInteger options);
  MTLBuffer *newBufferWithBytes(const void *bytes, NSUInteger length, NSUInteger options);
  MTLBuffer *newBufferNoCopy(void *bytes, NSUInteger length, NSUInteger options,
                             const void *deallocator);
  MTLLibrary *newLibraryWithSource(NSString *source, MTLCompileOptions *options, NSError **error);
  MTLLibrary *newLibraryWithData(NSData *data, NSError **error);
  MTLLibrary *newLibraryWithURL(NSURL *url, NSError **error);
  MTLComputePipelineState *newPipeline(MTLFunction *function, NSError **error);
  MTLComputePipelineState *newPipelineReflected(MTLFunction *function, NSUInteger options,
                                                MTLComputePipelineReflection **reflection,
                                                NSError **error);
  MTLComputePipelineState *newPipelineDescribed(MTLComputePipelineDescriptor *descriptor,
                                                NSUInteger options,
                                                MTLComputePipelineReflection **reflection,
                                                NSError **error);
  MTLSharedEvent *newSharedEvent();

  simulator::Context &context;
};

// What a device makes, and a program can name.
struct OfDevice : Object {
  static const Class &kClass;
  OfDevice(const Class &isa, MTLDevice &of) : Object(isa), owner(&of) {}

  MTLDevice *device() { return owner.get(); }

  const Ref<MTLDevice> owner;
  Ref<NSString> label;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_DEVICE_HPP_
