// SPDX-License-Identifier: Apache-2.0
#include "memory/known_memory.hpp"

#include <algorithm>
#include <iterator>

namespace nexus_cuda NXS_HIDDEN {

KnownMemory ask_of_memory(Device &device, CUdeviceptr address) {
  KnownMemory known;
  uint32_t managed = 0, plain = 0;  // the driver writes one byte or four
  size_t size = 0;
  CUpointer_attribute asked[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
      CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *told[] = {&known.type, &known.ordinal,        &managed,
                  &plain,      &known.pool,           &known.begin,
                  &size,       &known.device_address, &known.host_address};
  static_assert(std::size(asked) == std::size(told));
  device.check(cu.PointerGetAttributes(std::size(asked), asked, told, address),
               "asking what memory an address is of");
  known.managed = managed != 0;
  known.plain = plain != 0;
  known.size = size;
  return known;
}

uint64_t bytes_from(Device &device, CUdeviceptr address, const KnownMemory &known,
                    uint64_t wanted) {
  CUdeviceptr end = known.begin + known.size;
  while (end - address < wanted && known.mapped_in_pieces()) {
    const KnownMemory next = ask_of_memory(device, end);
    if (!next.mapped_in_pieces() || next.ordinal != known.ordinal || next.size == 0) break;
    end = next.begin + next.size;
  }
  return std::min<uint64_t>(wanted, end - address);
}

}  // namespace nexus_cuda
