// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's buffer and its mapping.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "stream/in_flight_set.hpp"

namespace nexus::core {

/// Memory that somebody else allocated for a device, as in nxsCreateBufferFromHandle.
struct ForeignMemory {
  uint64_t handle;
  uint64_t offset;  // bytes
};

/// The plug-in's buffer is released with this object; its storage stays until the work that uses it
/// is done. Any thread may use it.
class NativeBuffer {
 public:
  /// host_data as for nxsCreateBuffer.
  NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data);
  NativeBuffer(Device &device, uint64_t size, const ForeignMemory &memory);
  /// Imports memory that another process exported.
  NativeBuffer(Device &device, std::string_view handle);
  ~NativeBuffer();
  NativeBuffer(const NativeBuffer &) = delete;
  NativeBuffer &operator=(const NativeBuffer &) = delete;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  uint64_t size() const noexcept { return size_; }  // bytes
  /// Returns the handle with which other processes import it. Throws NXS_InvalidOperation,
  /// NXS_NotSupported.
  std::string exported() const;

  /// Makes a buffer of another device of the plug-in over the same memory, which must be destroyed
  /// before this one. Returns nothing if native handles are not addresses, since objects belong to
  /// one device. Throws the plug-in's errors.
  std::unique_ptr<NativeBuffer> reachedFrom(Device &device) const;

  /// Returns whether the memory may be visible to the host, as all memory of the device or as this
  /// buffer's kind.
  bool mayBeMapped() const noexcept {
    return on_host_ || device_.plugin().has(NXS_Capability_HostVisibleMemory);
  }

  /// Returns the host's address, mapped at the first call; waits for the mapping. Throws
  /// NXS_NotSupported.
  void *map();

  /// The host's address, to be used once `use` is done. Without a queue: at once.
  struct Mapping {
    void *address = nullptr;
    QueuedWork use;
  };
  /// Like map(), but maps by work in queue if necessary, and does not wait.
  Mapping mapIn(Queue &queue);

 private:
  void forgetFailedMapping(const QueuedWork &mapping);
  void unmap() noexcept;

  Device &device_;
  uint64_t size_;
  bool on_host_ = false;
  uint64_t counted_ = 0;  // bytes counted for it by the device
  nxs_id id_ = 0;
  std::mutex mutex_;
  void *mapped_ = nullptr;  // under mutex_
  QueuedWork mapping_;      // under mutex_: the work that maps it
};

}  // namespace nexus::core
