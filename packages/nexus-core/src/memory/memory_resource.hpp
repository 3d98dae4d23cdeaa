// SPDX-License-Identifier: Apache-2.0
//
// The program's own allocator for the buffers of a device.
#pragma once

#include "base/ref.hpp"
#include "memory/memory.hpp"

namespace nexus::core {

/// Lives as long as a device or a memory uses it. Any thread may use it.
class MemoryResource final : public Counted {
 public:
  /// Throws NXS_InvalidValue if description is invalid; then release is not called.
  explicit MemoryResource(const nexus_memory_resource &description);

  const nexus_memory_resource &description() const noexcept { return description_; }

  /// Allocates memory, which is given back when nothing uses it any more. Calls the program, so the
  /// caller holds no lock. Throws the program's failure, and NXS_MemObjectAllocationFailure or the
  /// plug-in's error if the address is not memory of the device.
  Ref<Memory> allocate(Device &device, uint64_t size);

 private:
  ~MemoryResource() override;

  nexus_memory_resource description_;
};

/// Returns the resource of the device's buffers; nothing: its plug-in allocates them.
Ref<MemoryResource> resourceOf(const Device &device);

}  // namespace nexus::core
