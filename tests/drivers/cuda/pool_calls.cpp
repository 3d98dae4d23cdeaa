// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"
#include "foreign_file.hpp"
#include "memory.hpp"
#include "pool.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

using namespace simulated_cuda;

namespace {

constexpr uint32_t kPoolPointer = 0x504f4f4c;

// The number that an attribute of a pool is read into or from: an int for the first three.
bool is_int(CUmemPool_attribute which) {
  return which <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

void check_attribute(CUmemPool_attribute which) {
  require(which >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
          which <= CU_MEMPOOL_ATTR_USED_MEM_HIGH);
}

}  // namespace

SIMULATED_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out_pool, CUdevice device) {
  return call("cuDeviceGetDefaultMemPool", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    (void)default_pool(asked);
    give(out_pool, asked.default_pool_handle);
  });
}

SIMULATED_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *out_pool, CUdevice device) {
  return call("cuDeviceGetMemPool", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    (void)default_pool(asked);
    give(out_pool, asked.current_pool_handle);
  });
}

SIMULATED_EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return call("cuDeviceSetMemPool", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    const auto &wanted = world().pools.get(pool);
    require(&wanted->device() == &asked);
    (void)default_pool(asked);
    asked.current_pool = wanted;
    asked.current_pool_handle = pool;
  });
}

SIMULATED_EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out_pool, const CUmemPoolProps *props) {
  return call("cuMemPoolCreate", Needs::kInit, [&](Call &) {
    require(out_pool != nullptr && props != nullptr);
    require(props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    require(props->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    require((props->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0,
            CUDA_ERROR_NOT_SUPPORTED);
    Device &device = device_of(props->location.id);
    (void)default_pool(device);
    const bool shareable = props->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
    *out_pool = world().pools.add(std::make_shared<Pool>(device, props->maxSize, shareable));
  });
}

SIMULATED_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return call("cuMemPoolDestroy", Needs::kInit, [&](Call &) {
    const auto ended = world().pools.get(pool);
    Device &device = ended->device();
    require(ended != device.default_pool);
    if (ended == device.current_pool) {
      device.current_pool = device.default_pool;
      device.current_pool_handle = device.default_pool_handle;
    }
    (void)world().pools.take(pool);  // what is allocated from it keeps it
  });
}

SIMULATED_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return call("cuMemPoolTrimTo", Needs::kInit,
              [&](Call &) { world().pools.get(pool)->trim(keep); });
}

SIMULATED_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                                const void *value) {
  return call("cuMemPoolSetAttribute", Needs::kInit, [&](Call &) {
    check_attribute(attribute);
    require(value != nullptr);
    uint64_t number = 0;
    std::memcpy(&number, value, is_int(attribute) ? sizeof(int) : sizeof(number));
    world().pools.get(pool)->set_attribute(attribute, number);
  });
}

SIMULATED_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                                void *out_value) {
  return call("cuMemPoolGetAttribute", Needs::kInit, [&](Call &) {
    check_attribute(attribute);
    require(out_value != nullptr);
    const uint64_t number = world().pools.get(pool)->attribute(attribute);
    std::memcpy(out_value, &number, is_int(attribute) ? sizeof(int) : sizeof(number));
  });
}

SIMULATED_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
                                             size_t count) {
  return call("cuMemPoolSetAccess", Needs::kInit, [&](Call &) {
    const auto &changed = world().pools.get(pool);
    require(map != nullptr && count != 0);
    for (size_t i = 0; i < count; ++i) {
      require(map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
      const Device &other = device_of(map[i].location.id);
      const bool own = &other == &changed->device();
      require(!own || map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
      changed->access[other.ordinal()] = map[i].flags;
    }
  });
}

SIMULATED_EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *out_flags, CUmemoryPool pool,
                                             CUmemLocation *location) {
  return call("cuMemPoolGetAccess", Needs::kInit, [&](Call &) {
    const auto &asked = world().pools.get(pool);
    require(location != nullptr && location->type == CU_MEM_LOCATION_TYPE_DEVICE);
    const Device &device = device_of(location->id);
    if (&device == &asked->device()) return give(out_flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    const auto found = asked->access.find(device.ordinal());
    give(out_flags, found == asked->access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second);
  });
}

SIMULATED_EXPORT CUresult cuMemPoolExportToShareableHandle(void *out_handle, CUmemoryPool pool,
                                                           int32_t type, unsigned long long flags) {
  return call("cuMemPoolExportToShareableHandle", Needs::kInit, [&](Call &) {
    const auto &shared = world().pools.get(pool);
    require(out_handle != nullptr && flags == 0);
    require(shared->shareable() && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    const int file = dup(shared->device().addresses().file());
    require(file >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    *static_cast<int *>(out_handle) = file;
  });
}

SIMULATED_EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *out_pool, void *handle,
                                                             int32_t type,
                                                             unsigned long long flags) {
  return call("cuMemPoolImportFromShareableHandle", Needs::kInit, [&](Call &) {
    require(out_pool != nullptr && flags == 0);
    require(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    const int file = dup(static_cast<int>(reinterpret_cast<intptr_t>(handle)));
    require(file >= 0);
    auto made = std::make_shared<Pool>(device_of(0), 0, false);
    made->foreign_file = file;
    *out_pool = world().pools.add(std::move(made));
  });
}

SIMULATED_EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *out_data,
                                                 CUdeviceptr memory) {
  return call("cuMemPoolExportPointer", Needs::kInit, [&](Call &) {
    const Allocation &shared = device_range(memory, 1);
    require(out_data != nullptr && shared.kind == MemoryKind::kPool && shared.pool->shareable());
    const AddressSpace &space = shared.device->addresses();
    const ForeignFile place{
        kPoolPointer, getpid(), 0, shared.device->ordinal(), space.offset_of(shared.begin),
        shared.size};
    std::memcpy(out_data->reserved, &place, sizeof(place));
  });
}

SIMULATED_EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *out_memory, CUmemoryPool pool,
                                                 CUmemPoolPtrExportData *data) {
  return call("cuMemPoolImportPointer", Needs::kContext, [&](Call &call) {
    const auto &from = world().pools.get(pool);
    require(out_memory != nullptr && data != nullptr && from->foreign_file >= 0);
    ForeignFile place;
    std::memcpy(&place, data->reserved, sizeof(place));
    require(place.kind == kPoolPointer);
    *out_memory = map_foreign(from->foreign_file, place, call);
  });
}
