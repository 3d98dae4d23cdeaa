// SPDX-License-Identifier: Apache-2.0
// Memory of devices and the host, pools of it, and what the driver says of a pointer.
#include "../simulator/memory.hpp"

#include "../simulator/context.hpp"
#include "../simulator/device.hpp"
#include "../simulator/foreign_file.hpp"
#include "../simulator/graph.hpp"
#include "../simulator/pool.hpp"

#include <cstring>

using namespace simulator;

// ---- Of a device ----

SIMULATED_EXPORT CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
  return call("cuMemGetInfo", Needs::kContext, [&](Call &call) {
    const Device &device = call.context->device();
    give(out_free, device.free());
    give(out_total, static_cast<size_t>(device.memory()));
  });
}

SIMULATED_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out_memory, size_t size) {
  return call("cuMemAlloc", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr);
    *out_memory = allocate_on_device(call, size).begin;
  });
}

SIMULATED_EXPORT CUresult cuMemFree_v2(CUdeviceptr memory) {
  return call("cuMemFree", Needs::kContext, [&](Call &call) {
    if (memory == 0) return;
    free_memory(call, "cuMemFree", memory,
                {MemoryKind::kDevice, MemoryKind::kPool, MemoryKind::kManaged});
  });
}

SIMULATED_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out_memory, size_t size, unsigned flags) {
  return call("cuMemAllocManaged", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    require(call.context->device().attribute(kManagedMemory) != 0, CUDA_ERROR_NOT_SUPPORTED);
    *out_memory = allocate_on_host(call, size, MemoryKind::kManaged).begin;
  });
}

// ---- Of the host, page-locked ----

SIMULATED_EXPORT CUresult cuMemHostAlloc(void **out_memory, size_t size, unsigned flags) {
  return call("cuMemHostAlloc", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && flags < 8);
    const uintptr_t begin = allocate_on_host(call, size, MemoryKind::kHost).begin;
    *out_memory = reinterpret_cast<void *>(begin);
  });
}

SIMULATED_EXPORT CUresult cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", Needs::kContext, [&](Call &call) {
    if (memory != nullptr) free_memory(call, "cuMemFreeHost", address(memory), {MemoryKind::kHost});
  });
}

SIMULATED_EXPORT CUresult cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) {
  return call("cuMemHostRegister", Needs::kContext, [&](Call &call) {
    require(flags < 16);
    require((flags & CU_MEMHOSTREGISTER_IOMEMORY) == 0, CUDA_ERROR_NOT_SUPPORTED);
    (void)register_memory(call, memory, size);
  });
}

SIMULATED_EXPORT CUresult cuMemHostUnregister(void *memory) {
  return call("cuMemHostUnregister", Needs::kContext,
              [&](Call &call) { unregister_memory(call, "cuMemHostUnregister", memory); });
}

SIMULATED_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out_device, void *memory,
                                                       unsigned flags) {
  return call("cuMemHostGetDevicePointer", Needs::kContext, [&](Call &) {
    const Allocation *known = world().allocations.find(address(memory));
    require(known != nullptr && known->pinned() && flags == 0);
    give(out_device, static_cast<CUdeviceptr>(address(memory)));
  });
}

// ---- Pools ----

SIMULATED_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out_pool, CUdevice device) {
  return call("cuDeviceGetDefaultMemPool", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    (void)default_pool(asked);
    give(out_pool, asked.default_pool_handle);
  });
}

SIMULATED_EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out_pool, const CUmemPoolProps *props) {
  return call("cuMemPoolCreate", Needs::kInit, [&](Call &) {
    require(out_pool != nullptr && props != nullptr);
    require(props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    require(props->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require(props->handleTypes == CU_MEM_HANDLE_TYPE_NONE && props->maxSize == 0,
            CUDA_ERROR_NOT_SUPPORTED);
    give(out_pool, make_pool(device_of(props->location.id)));
  });
}

SIMULATED_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return call("cuMemPoolDestroy", Needs::kInit, [&](Call &) { destroy_pool(pool); });
}

SIMULATED_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return call("cuMemPoolTrimTo", Needs::kInit,
              [&](Call &) { world().pools.get(pool)->trim(keep); });
}

SIMULATED_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                                const void *value) {
  return call("cuMemPoolSetAttribute", Needs::kInit,
              [&](Call &) { world().pools.get(pool)->set_attribute(attribute, value); });
}

SIMULATED_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                                uint64_t *out_value) {
  return call("cuMemPoolGetAttribute", Needs::kInit,
              [&](Call &) { give(out_value, world().pools.get(pool)->attribute(attribute)); });
}

SIMULATED_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
                                             size_t count) {
  return call("cuMemPoolSetAccess", Needs::kInit, [&](Call &) {
    const auto &changed = world().pools.get(pool);
    require(map != nullptr && count != 0);
    for (size_t i = 0; i < count; ++i) {
      require(map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
      changed->check_access(device_of(map[i].location.id), map[i].flags);
    }
  });
}

SIMULATED_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out_memory, size_t size, CUstream stream) {
  return call("cuMemAllocAsync", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    note_allocation(*stream_of(call, stream));
    *out_memory = default_pool(call.context->device())->allocate(size, *call.context);
  });
}

SIMULATED_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out_memory, size_t size,
                                                  CUmemoryPool pool, CUstream stream) {
  return call("cuMemAllocFromPoolAsync", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    note_allocation(*stream_of(call, stream));
    *out_memory = world().pools.get(pool)->allocate(size, *call.context);
  });
}

SIMULATED_EXPORT CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  return call("cuMemFreeAsync", Needs::kContext, [&](Call &call) {
    const auto in = stream_of(call, stream);
    if (memory != 0) free_in_order("cuMemFreeAsync", in, memory);
  });
}

// ---- Pointers ----

namespace {

uint64_t handle_of(const Pool *pool) {
  for (const auto &[handle, each] : world().pools.all()) {
    if (each.get() == pool) return reinterpret_cast<uintptr_t>(handle);
  }
  return 0;
}

// Writes what is asked of memory, of which the driver may know nothing (NULL).
void tell(void *out, CUpointer_attribute which, const Allocation *known, CUdeviceptr memory) {
  constexpr int kNoDevice = -2;  // CU_DEVICE_INVALID
  const auto put = [out](auto value) { std::memcpy(out, &value, sizeof(value)); };
  const bool is = known != nullptr;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      if (!is) return put(CUmemorytype{});
      return put(known->pinned() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(is ? memory : 0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return put(is && !known->on_device() ? memory : 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(is && known->kind == MemoryKind::kManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(is ? known->device->ordinal() : kNoDevice);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(is && known->kind == MemoryKind::kDevice);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(is ? known->begin : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(is ? known->size : 0);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(is ? handle_of(known->pool.get()) : 0);
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

const Allocation *find_known(CUdeviceptr memory) {
  const Allocation *found = world().allocations.find(memory);
  return found == nullptr || found->freed ? nullptr : found;
}

}  // namespace

SIMULATED_EXPORT CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute,
                                                CUdeviceptr memory) {
  return call("cuPointerGetAttribute", Needs::kContext, [&](Call &) {
    const Allocation *known = find_known(memory);
    require(out != nullptr && known != nullptr);
    require(attribute != CU_POINTER_ATTRIBUTE_HOST_POINTER || !known->on_device());
    tell(out, attribute, known, memory);
  });
}

// Unlike the above it answers 0 for memory that the driver doesn't know.
SIMULATED_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                                 void **out, CUdeviceptr memory) {
  return call("cuPointerGetAttributes", Needs::kContext, [&](Call &) {
    require(count != 0 && attributes != nullptr && out != nullptr);
    const Allocation *known = find_known(memory);
    for (unsigned i = 0; i < count; ++i) tell(out[i], attributes[i], known, memory);
  });
}

// ---- Of other processes ----

SIMULATED_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *out_handle, CUdeviceptr memory) {
  return call("cuIpcGetMemHandle", Needs::kContext,
              [&](Call &) { give(out_handle, place_of(memory).to_handle<CUipcMemHandle>()); });
}

SIMULATED_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out_memory, CUipcMemHandle handle,
                                                unsigned flags) {
  return call("cuIpcOpenMemHandle", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && flags <= CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    *out_memory = import_memory(call, ForeignFile::from_handle(handle, ForeignFile::kMemory)).begin;
  });
}

SIMULATED_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr memory) {
  return call("cuIpcCloseMemHandle", Needs::kContext, [&](Call &call) {
    free_memory(call, "cuIpcCloseMemHandle", memory, {MemoryKind::kImported});
  });
}
