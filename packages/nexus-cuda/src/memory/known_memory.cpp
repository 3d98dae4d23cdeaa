// SPDX-License-Identifier: Apache-2.0 What the driver reports about memory that this plug-in did
// not allocate.
#include "memory/buffer.hpp"

#include <iterator>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::gpu::KnownMemory;
using nexus_plugin::gpu::MemoryPlace;

Device *Gpu::device(int ordinal) {
  const auto index = static_cast<std::size_t>(ordinal);
  return index < all_devices.size() ? &device_of(all_devices[index]) : nullptr;
}

CUresult Gpu::enable_access(Device &other) {
  return cu.CtxEnablePeerAccess(other.context(), 0);
}

KnownMemory Gpu::look_up(Device &device, CUdeviceptr address) {
  CUmemorytype type{};               // 0: not memory of the driver
  uint32_t managed = 0, single = 0;  // allocated by cuMemAlloc; the driver writes a byte or four
  CUmemoryPool pool = nullptr;       // NULL: in no pool
  CUdeviceptr begin = 0, on_device = 0;
  size_t size = 0;
  KnownMemory known;
  CUpointer_attribute asked[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
      CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *told[] = {&type, &known.ordinal, &managed,           &single, &pool, &begin,
                  &size, &on_device,     &known.host_address};
  static_assert(std::size(asked) == std::size(told));
  device.check(cu.PointerGetAttributes(std::size(asked), asked, told, address),
               "reading the attributes of an address");
  known.known = type != 0;
  known.place = managed != 0                 ? MemoryPlace::kManaged
                : type == CU_MEMORYTYPE_HOST ? MemoryPlace::kHost
                                             : MemoryPlace::kDevice;
  known.begin = begin;
  known.size = size;
  known.device_address = on_device;
  // Memory of cuMemMap is in no pool.
  known.mapped = type == CU_MEMORYTYPE_DEVICE && managed == 0 && single == 0 && pool == nullptr;
  Device *const of = Gpu::device(known.ordinal);
  const bool in_ours = pool != nullptr && of != nullptr && of->made_state() != nullptr &&
                       of->made_state()->memory.pool().get() == pool;
  known.for_peers = single != 0 || in_ours;
  return known;
}

}  // namespace nexus_cuda
