// SPDX-License-Identifier: Apache-2.0
// Memory of devices and the host, pools of it, and what HIP says of a pointer.
#include "../simulator/memory.hpp"

#include "../simulator/foreign_file.hpp"
#include "../simulator/graph.hpp"
#include "../simulator/pool.hpp"
#include "devices.hpp"

#include <cstring>

using namespace simulator;

namespace {

void *pointer(uintptr_t begin) {
  return reinterpret_cast<void *>(begin);
}

// Gives what allocate returns; NULL where nothing is asked for.
template <class Allocate>
hipError_t allocate(const char *name, void **out_memory, size_t size, Allocate &&allocate) {
  return current_call(name, [&](Call &call) {
    require(out_memory != nullptr);
    *out_memory = size == 0 ? nullptr : pointer(allocate(call).begin);
  });
}

// Frees it, if any.
hipError_t free_kinds(const char *name, void *memory, std::initializer_list<MemoryKind> kinds) {
  return current_call(name, [&](Call &call) {
    if (memory != nullptr) free_memory(call, name, address(memory), kinds);
  });
}

const Allocation *find_known(const void *memory) {
  const Allocation *found = world().allocations.find(address(memory));
  return found == nullptr || found->freed ? nullptr : found;
}

}  // namespace

// ---- Of a device ----

SIMULATED_EXPORT hipError_t hipMemGetInfo(size_t *out_free, size_t *out_total) {
  return current_call("hipMemGetInfo", [&](Call &call) {
    const Device &device = call.context->device();
    if (out_free != nullptr) *out_free = device.free();
    if (out_total != nullptr) *out_total = device.memory();
  });
}

SIMULATED_EXPORT hipError_t hipMalloc(void **out_memory, size_t size) {
  return allocate("hipMalloc", out_memory, size,
                  [&](Call &call) -> const Allocation & { return allocate_on_device(call, size); });
}

SIMULATED_EXPORT hipError_t hipFree(void *memory) {
  return free_kinds("hipFree", memory,
                    {MemoryKind::kDevice, MemoryKind::kPool, MemoryKind::kManaged});
}

SIMULATED_EXPORT hipError_t hipMallocManaged(void **out_memory, size_t size, unsigned flags) {
  return allocate("hipMallocManaged", out_memory, size, [&](Call &call) -> const Allocation & {
    require(flags == hipMemAttachGlobal || flags == hipMemAttachHost);
    return allocate_on_host(call, size, MemoryKind::kManaged);
  });
}

// ---- Of the host, page-locked ----

SIMULATED_EXPORT hipError_t hipHostMalloc(void **out_memory, size_t size, unsigned flags) {
  return allocate("hipHostMalloc", out_memory, size, [&](Call &call) -> const Allocation & {
    constexpr unsigned kBoth = hipHostMallocCoherent | hipHostMallocNonCoherent;
    require((flags & kBoth) != kBoth);
    return allocate_on_host(call, size, MemoryKind::kHost);
  });
}

SIMULATED_EXPORT hipError_t hipHostFree(void *memory) {
  return free_kinds("hipHostFree", memory, {MemoryKind::kHost});
}

SIMULATED_EXPORT hipError_t hipHostRegister(void *memory, size_t size, unsigned flags) {
  return current_call("hipHostRegister", [&](Call &call) {
    constexpr unsigned kMostFlags = 15;
    require(flags <= kMostFlags);
    (void)register_memory(call, memory, size);
  });
}

SIMULATED_EXPORT hipError_t hipHostUnregister(void *memory) {
  return current_call("hipHostUnregister", [&](Call &call) {
    require(memory != nullptr);
    unregister_memory(call, "hipHostUnregister", memory);
  });
}

SIMULATED_EXPORT hipError_t hipHostGetDevicePointer(void **out_device, void *memory,
                                                    unsigned flags) {
  return current_call("hipHostGetDevicePointer", [&](Call &) {
    require(out_device != nullptr && flags == 0 && find_known(memory) != nullptr);
    *out_device = memory;
  });
}

// ---- Pools ----

SIMULATED_EXPORT hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *out_pool, int device) {
  return device_call("hipDeviceGetDefaultMemPool", [&](Call &) {
    Device &asked = device_of(device);
    (void)default_pool(asked);
    give(out_pool, asked.default_pool_handle);
  });
}

SIMULATED_EXPORT hipError_t hipMemPoolCreate(hipMemPool_t *out_pool, const hipMemPoolProps *props) {
  return device_call("hipMemPoolCreate", [&](Call &) {
    require(out_pool != nullptr && props != nullptr);
    require(props->allocType == hipMemAllocationTypePinned && props->maxSize == 0);
    require(props->location.type == hipMemLocationTypeDevice);
    require(props->handleTypes == hipMemHandleTypeNone, hipErrorNotSupported);
    give(out_pool, make_pool(device_of(props->location.id)));
  });
}

SIMULATED_EXPORT hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return device_call("hipMemPoolDestroy", [&](Call &) { destroy_pool(pool); });
}

SIMULATED_EXPORT hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep) {
  return device_call("hipMemPoolTrimTo", [&](Call &) { world().pools.get(pool)->trim(keep); });
}

SIMULATED_EXPORT hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute,
                                                   void *value) {
  return device_call("hipMemPoolSetAttribute",
                     [&](Call &) { world().pools.get(pool)->set_attribute(attribute, value); });
}

SIMULATED_EXPORT hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute,
                                                   void *out) {
  return device_call("hipMemPoolGetAttribute", [&](Call &) {
    give(static_cast<uint64_t *>(out), world().pools.get(pool)->attribute(attribute));
  });
}

SIMULATED_EXPORT hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *map,
                                                size_t count) {
  return device_call("hipMemPoolSetAccess", [&](Call &) {
    const auto &changed = world().pools.get(pool);
    require(map != nullptr);
    for (const hipMemAccessDesc *each = map; each != map + count; ++each) {
      require(each->location.type == hipMemLocationTypeDevice);
      changed->check_access(device_of(each->location.id), each->flags);
    }
  });
}

SIMULATED_EXPORT hipError_t hipMallocFromPoolAsync(void **out_memory, size_t size,
                                                   hipMemPool_t pool, hipStream_t stream) {
  return stream_call("hipMallocFromPoolAsync", stream, [&](Call &call, const auto &in) {
    require(out_memory != nullptr && size != 0);
    note_allocation(*in);
    *out_memory = pointer(world().pools.get(pool)->allocate(size, *call.context));
  });
}

SIMULATED_EXPORT hipError_t hipMallocAsync(void **out_memory, size_t size, hipStream_t stream) {
  return stream_call("hipMallocAsync", stream, [&](Call &call, const auto &in) {
    require(out_memory != nullptr && size != 0);
    note_allocation(*in);
    *out_memory = pointer(default_pool(call.context->device())->allocate(size, *call.context));
  });
}

SIMULATED_EXPORT hipError_t hipFreeAsync(void *memory, hipStream_t stream) {
  return stream_call("hipFreeAsync", stream, [&](Call &, const auto &in) {
    require(memory != nullptr);
    free_in_order("hipFreeAsync", in, address(memory));
  });
}

// ---- Pointers ----

SIMULATED_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *out_begin, size_t *out_size,
                                                  hipDeviceptr_t memory) {
  return current_call("hipMemGetAddressRange", [&](Call &) {
    const Allocation *known = find_known(memory);
    require(out_begin != nullptr && out_size != nullptr);
    require(known != nullptr, hipErrorNotFound);
    *out_begin = pointer(known->begin);
    *out_size = known->size;
  });
}

namespace {

// Writes what is asked of memory, in as many bytes as HIP does, and a default for memory that HIP
// does not know, which is an error.
hipError_t tell(void *out, hipPointer_attribute which, void *memory) {
  constexpr int kNoDevice = -2;
  const Allocation *known = find_known(memory);
  const bool is = known != nullptr, of_host = is && !known->on_device();
  const auto put = [out](bool has, auto value, decltype(value) otherwise) {
    const auto &told = has ? value : otherwise;
    std::memcpy(out, &told, sizeof(told));
    return has ? hipSuccess : hipErrorInvalidValue;
  };
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: {
      const uint32_t host = major_version() < 6 ? 0 : 1;
      return put(is, of_host ? host : host + 1, 0);
    }
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(is, memory, nullptr);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      return put(of_host, memory, nullptr);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(is, is && known->kind == MemoryKind::kManaged, false);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(is, is ? known->device->ordinal() : 0, kNoDevice);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(is, pointer(is ? known->begin : 0), nullptr);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(is, is ? static_cast<uint32_t>(known->size) : 0, 0);
  }
  return hipErrorNotSupported;
}

}  // namespace

SIMULATED_EXPORT hipError_t hipPointerGetAttribute(void *out, hipPointer_attribute attribute,
                                                   hipDeviceptr_t memory) {
  return current_call("hipPointerGetAttribute", [&](Call &) {
    require(out != nullptr && memory != nullptr);
    const hipError_t result = tell(out, attribute, memory);
    require(result == hipSuccess, result);
  });
}

// Unlike the above it succeeds for memory that HIP doesn't know.
SIMULATED_EXPORT hipError_t hipDrvPointerGetAttributes(unsigned count,
                                                       hipPointer_attribute *attributes, void **out,
                                                       hipDeviceptr_t memory) {
  return current_call("hipDrvPointerGetAttributes", [&](Call &) {
    require(count != 0 && attributes != nullptr && out != nullptr && memory != nullptr);
    for (unsigned i = 0; i < count; ++i) (void)tell(out[i], attributes[i], memory);
  });
}

// ---- Of other processes ----

SIMULATED_EXPORT hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out_handle, void *memory) {
  return current_call("hipIpcGetMemHandle", [&](Call &) {
    give(out_handle, place_of(address(memory)).to_handle<hipIpcMemHandle_t>());
  });
}

SIMULATED_EXPORT hipError_t hipIpcOpenMemHandle(void **out_memory, hipIpcMemHandle_t handle,
                                                unsigned flags) {
  return current_call("hipIpcOpenMemHandle", [&](Call &call) {
    const unsigned lazy = major_version() < 6 ? 0 : 1;  // hipIpcMemLazyEnablePeerAccess
    require(out_memory != nullptr && flags == lazy);
    const auto place = ForeignFile::from_handle(handle, ForeignFile::kMemory);
    *out_memory = pointer(import_memory(call, place).begin);
  });
}

SIMULATED_EXPORT hipError_t hipIpcCloseMemHandle(void *memory) {
  return free_kinds("hipIpcCloseMemHandle", memory, {MemoryKind::kImported});
}
