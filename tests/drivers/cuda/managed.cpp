// SPDX-License-Identifier: Apache-2.0
// Memory that the host and the devices share, and advice about it.
#include "context.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <cstring>

namespace {

constexpr int kCpu = -1;       // CU_DEVICE_CPU
constexpr int kNoDevice = -2;  // CU_DEVICE_INVALID
constexpr int kSetReadMostly = 1, kUnsetReadMostly = 2, kSetPreferred = 3, kUnsetPreferred = 4,
              kUnsetAccessedBy = 6;  // CUmem_advise

}  // namespace

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out_memory, size_t size, unsigned flags) {
  return call("cuMemAllocManaged", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    Device &device = call.context->device();
    require(device.attribute(kManagedMemory) != 0, CUDA_ERROR_NOT_SUPPORTED);
    Allocation made;
    made.begin = map_host(size);
    made.size = size;
    made.kind = MemoryKind::kManaged;
    made.context = call.context;
    made.device = &device;
    made.preferred_location = kNoDevice;
    made.prefetched_to = kNoDevice;
    *out_memory = world().allocations.add(made).begin;
  });
}

namespace {

Allocation &managed_range(CUdeviceptr memory, size_t size) {
  require(size != 0);
  Allocation &found = device_range(memory, size);
  require(found.kind == MemoryKind::kManaged);
  return found;
}

int place_of(const CUmemLocation &location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return device_of(location.id).ordinal();
  require(location.type >= CU_MEM_LOCATION_TYPE_HOST &&
          location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  return kCpu;
}

CUmemLocation location_of(CUdevice device) {
  return {device == kCpu ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE, device};
}

}  // namespace

SIMULATED_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr memory, size_t size,
                                                CUmemLocation location, unsigned flags,
                                                CUstream stream) {
  return call("cuMemPrefetchAsync", Needs::kContext, [&](Call &call) {
    require(flags == 0);
    Allocation &moved = managed_range(memory, size);
    const int place = place_of(location);
    stream_of(call, stream)->add([] { return CUDA_SUCCESS; });
    moved.prefetched_to = place;
  });
}

SIMULATED_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr memory, size_t size, CUdevice device,
                                             CUstream stream) {
  return cuMemPrefetchAsync_v2(memory, size, location_of(device), 0, stream);
}

SIMULATED_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr memory, size_t size, int advice,
                                         CUmemLocation location) {
  return call("cuMemAdvise", Needs::kContext, [&](Call &) {
    require(advice >= kSetReadMostly && advice <= kUnsetAccessedBy);
    Allocation &advised = managed_range(memory, size);
    if (advice == kSetReadMostly) advised.read_mostly = true;
    if (advice == kUnsetReadMostly) advised.read_mostly = false;
    if (advice == kSetPreferred) advised.preferred_location = place_of(location);
    if (advice == kUnsetPreferred) advised.preferred_location = kNoDevice;
  });
}

SIMULATED_EXPORT CUresult cuMemAdvise(CUdeviceptr memory, size_t size, int advice,
                                      CUdevice device) {
  return cuMemAdvise_v2(memory, size, advice, location_of(device));
}

SIMULATED_EXPORT CUresult cuMemRangeGetAttribute(void *out, size_t out_size, int attribute,
                                                 CUdeviceptr memory, size_t size) {
  return call("cuMemRangeGetAttribute", Needs::kContext, [&](Call &) {
    const Allocation &asked = managed_range(memory, size);
    require(out != nullptr && out_size == sizeof(int));
    const int answers[] = {0, asked.read_mostly ? 1 : 0, asked.preferred_location, 0,
                           asked.prefetched_to};
    require(attribute == 1 || attribute == 2 || attribute == 4);
    std::memcpy(out, &answers[attribute], sizeof(int));
  });
}
