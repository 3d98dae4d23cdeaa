// SPDX-License-Identifier: Apache-2.0
// The driver's knowledge of an address.
#ifndef NEXUS_CUDA_KNOWN_MEMORY_HPP_
#define NEXUS_CUDA_KNOWN_MEMORY_HPP_

#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

struct KnownMemory {
  CUmemorytype type = 0;  // 0: none of the driver's
  int ordinal = -1;       // of the device that it is of
  bool managed = false;
  bool plain = false;           // of the driver's plain functions, so that devices reach it alike
  CUmemoryPool pool = nullptr;  // NULL: of none
  // The allocation that the address lies in.
  CUdeviceptr begin = 0;
  uint64_t size = 0;
  // As the current context's device and as the host see the address; 0 and NULL where they do not.
  CUdeviceptr device_address = 0;
  void *host_address = nullptr;

  bool on_host() const noexcept { return type == CU_MEMORYTYPE_HOST; }
  // Pieces that somebody mapped beside each other, each an allocation of its own.
  bool mapped_in_pieces() const noexcept {
    return type == CU_MEMORYTYPE_DEVICE && !managed && !plain && pool == nullptr;
  }
};

// With the device's context current. Throws what the driver says.
KnownMemory ask_of_memory(Device &device, CUdeviceptr address);

// How many bytes there are from the address on, which known is of: as many as are wanted, or fewer.
// As ask_of_memory().
uint64_t bytes_from(Device &device, CUdeviceptr address, const KnownMemory &known, uint64_t wanted);

// ---- Memory of the caller that is page-locked while buffers use it in place ----

// Page-locks the pages of a range, for all devices, unless they are already. One call of
// unregister_memory() for each. The device's context is current. Throws NXS_InvalidHostPtr where
// the system does not let it.
void register_memory(Device &device, void *address, uint64_t size);
void unregister_memory(const void *address) noexcept;

// Returns whether the driver knows the memory, so that it copies with it directly. The device's
// context is current.
bool is_page_locked(const void *address, uint64_t size) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KNOWN_MEMORY_HPP_
