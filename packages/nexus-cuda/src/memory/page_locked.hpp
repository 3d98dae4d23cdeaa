// SPDX-License-Identifier: Apache-2.0
// Memory of the caller that is page-locked while buffers use it in place.
#ifndef NEXUS_CUDA_PAGE_LOCKED_HPP_
#define NEXUS_CUDA_PAGE_LOCKED_HPP_

#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

// Page-locks the pages of a range, for all devices, unless they are already. One call of
// unregister_memory() for each. The device's context is current. Throws NXS_InvalidHostPtr where
// the system does not let it.
void register_memory(Device &device, void *address, uint64_t size);
void unregister_memory(const void *address) noexcept;

// Returns whether the driver knows the memory, so that it copies with it directly. The device's
// context is current.
bool is_page_locked(const void *address, uint64_t size) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_PAGE_LOCKED_HPP_
