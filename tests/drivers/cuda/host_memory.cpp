// SPDX-License-Identifier: Apache-2.0
// Page-locked memory of the host.
#include "context.hpp"
#include "device.hpp"
#include "memory.hpp"

using namespace simulated_cuda;

namespace {

CUresult allocate(const char *name, void **out_memory, size_t size, unsigned flags) {
  return call(name, Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0 && flags < 8);
    Allocation made;
    made.begin = map_host(size);
    made.size = size;
    made.kind = MemoryKind::kHost;
    made.context = call.context;
    made.device = &call.context->device();
    made.flags = flags | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
    *out_memory = pointer(world().allocations.add(made).begin);
  });
}

}  // namespace

SIMULATED_EXPORT CUresult cuMemHostAlloc(void **out_memory, size_t size, unsigned flags) {
  return allocate("cuMemHostAlloc", out_memory, size, flags);
}

SIMULATED_EXPORT CUresult cuMemAllocHost_v2(void **out_memory, size_t size) {
  return allocate("cuMemAllocHost", out_memory, size, 0);
}

SIMULATED_EXPORT CUresult cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", Needs::kContext, [&](Call &call) {
    if (memory == nullptr) return;
    Allocation *freed = world().allocations.at(address(memory));
    const bool known = freed != nullptr && freed->kind == MemoryKind::kHost && !freed->freed;
    if (!known) misused("cuMemFreeHost of what was not allocated", CUDA_ERROR_INVALID_VALUE);
    freed->freed = true;
    freed->context->wait(call);
    release(*freed);
  });
}

SIMULATED_EXPORT CUresult cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) {
  return call("cuMemHostRegister", Needs::kContext, [&](Call &call) {
    require(memory != nullptr && size != 0 && flags < 16);
    require((flags & CU_MEMHOSTREGISTER_IOMEMORY) == 0, CUDA_ERROR_NOT_SUPPORTED);
    Allocations &all = world().allocations;
    require(!all.overlaps(address(memory), size), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    Allocation made;
    made.begin = address(memory);
    made.size = size;
    made.kind = MemoryKind::kRegistered;
    made.context = call.context;
    made.device = &call.context->device();
    made.flags = flags;
    all.add(made);
  });
}

SIMULATED_EXPORT CUresult cuMemHostUnregister(void *memory) {
  return call("cuMemHostUnregister", Needs::kContext, [&](Call &call) {
    Allocation *known = world().allocations.at(address(memory));
    require(known != nullptr && known->kind == MemoryKind::kRegistered,
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    known->context->wait(call);
    world().allocations.remove(address(memory));
  });
}

SIMULATED_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out_device, void *memory,
                                                       unsigned flags) {
  return call("cuMemHostGetDevicePointer", Needs::kContext, [&](Call &) {
    const Allocation *known = world().allocations.find(address(memory));
    require(known != nullptr && known->pinned() && flags == 0);
    give(out_device, static_cast<CUdeviceptr>(address(memory)));
  });
}

SIMULATED_EXPORT CUresult cuMemHostGetFlags(unsigned *out_flags, void *memory) {
  return call("cuMemHostGetFlags", Needs::kContext, [&](Call &) {
    const Allocation *known = world().allocations.find(address(memory));
    require(known != nullptr && known->kind == MemoryKind::kHost);
    give(out_flags, known->flags);
  });
}
