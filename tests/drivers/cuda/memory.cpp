// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include "context.hpp"
#include "device.hpp"
#include "pool.hpp"

#include <sys/mman.h>
#include <vector>

namespace simulated_cuda {

Allocation &device_range(CUdeviceptr begin, size_t size) {
  Allocation *found = world().allocations.find(static_cast<uintptr_t>(begin), size);
  require(found != nullptr);
  if (found->freed) misused("memory that was freed in stream order", CUDA_ERROR_INVALID_VALUE);
  return *found;
}

CUresult check_running(CUdeviceptr begin, size_t size) {
  const Lock lock(world().mutex);
  const Allocation *found = world().allocations.find(static_cast<uintptr_t>(begin), size);
  if (found != nullptr) return CUDA_SUCCESS;
  world().faults.note_misuse("memory that was freed before the work that uses it ran");
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

uintptr_t map_host(size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  return address(memory);
}

void unmap_host(uintptr_t begin, size_t size) {
  const uintptr_t lead = begin % 4096;
  munmap(reinterpret_cast<void *>(begin - lead), size + lead);
}

void release(Allocation &allocation) {
  const Allocation old = allocation;
  world().allocations.remove(old.begin);
  switch (old.kind) {
    case MemoryKind::kDevice:
      old.device->addresses().free(old.begin, old.size);
      old.device->give_back(old.size);
      break;
    case MemoryKind::kPool:
      old.device->addresses().free(old.begin, old.size);
      old.pool->returned(old.size);
      break;
    case MemoryKind::kImported:
    case MemoryKind::kHost:
    case MemoryKind::kManaged:
      unmap_host(old.begin, old.size);
      break;
    case MemoryKind::kGlobal:
    case MemoryKind::kRegistered:
      break;
  }
}

void free_all(const Context &context) {
  std::vector<uintptr_t> mine;
  for (const auto &[begin, allocation] : world().allocations.all()) {
    // Memory of a pool outlives the context that asked for it.
    if (allocation.context == &context && allocation.kind != MemoryKind::kPool) {
      mine.push_back(begin);
    }
  }
  for (const uintptr_t begin : mine) release(*world().allocations.at(begin));
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
  return call("cuMemGetInfo", Needs::kContext, [&](Call &call) {
    const Device &device = call.context->device();
    give(out_free, static_cast<size_t>(device.memory() - device.used()));
    give(out_total, static_cast<size_t>(device.memory()));
  });
}

SIMULATED_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out_memory, size_t size) {
  return call("cuMemAlloc", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    Device &device = call.context->device();
    device.take(size);
    try {
      Allocation made;
      made.begin = device.place(size);
      made.size = size;
      made.context = call.context;
      made.device = &device;
      *out_memory = world().allocations.add(made).begin;
    } catch (...) {
      device.give_back(size);
      throw;
    }
  });
}

SIMULATED_EXPORT CUresult cuMemFree_v2(CUdeviceptr memory) {
  return call("cuMemFree", Needs::kContext, [&](Call &call) {
    if (memory == 0) return;
    Allocation *freed = world().allocations.at(memory);
    const bool known = freed != nullptr && !freed->freed &&
                       (freed->kind == MemoryKind::kDevice || freed->kind == MemoryKind::kManaged ||
                        freed->kind == MemoryKind::kPool);
    if (!known) misused("cuMemFree of what was not allocated", CUDA_ERROR_INVALID_VALUE);
    freed->freed = true;  // nobody frees it a second time while this one waits
    freed->context->wait(call);
    release(*freed);
  });
}

SIMULATED_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *out_begin, size_t *out_size,
                                                  CUdeviceptr memory) {
  return call("cuMemGetAddressRange", Needs::kContext, [&](Call &) {
    const Allocation *found = world().allocations.find(memory);
    require(found != nullptr, CUDA_ERROR_NOT_FOUND);
    if (out_begin != nullptr) *out_begin = found->begin;
    if (out_size != nullptr) *out_size = found->size;
  });
}
