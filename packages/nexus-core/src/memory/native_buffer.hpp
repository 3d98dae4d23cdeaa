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

/// Memory that somebody else got for a device, as nxsCreateBufferFromHandle names it.
struct ForeignMemory {
  uint64_t handle;
  uint64_t offset;  // bytes
};

/// Made and released with the plug-in's own: its id ends with this, its storage when the work
/// that uses it is done. Any thread may use it.
class NativeBuffer {
 public:
  /// host_data as nxsCreateBuffer says.
  NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data);
  NativeBuffer(Device &device, uint64_t size, const ForeignMemory &memory);
  /// Memory that another process exported.
  NativeBuffer(Device &device, std::string_view handle);
  ~NativeBuffer();
  NativeBuffer(const NativeBuffer &) = delete;
  NativeBuffer &operator=(const NativeBuffer &) = delete;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  uint64_t size() const noexcept { return size_; }  // bytes
  /// By which other processes import it. Throws NXS_InvalidOperation, NXS_NotSupported.
  std::string exported() const;

  /// A buffer of another device of the plug-in over the same memory, which ends before this one.
  /// Nothing where handles are objects, which are of one device. Throws what the plug-in says.
  std::unique_ptr<NativeBuffer> reachedFrom(Device &device) const;

  /// Whether the host may see the memory: that of the whole device, or of this buffer's kind.
  bool mayBeMapped() const noexcept {
    return on_host_ || device_.plugin().has(NXS_Capability_HostVisibleMemory);
  }

  /// The host's address, mapped at the first call; waits for the mapping. Throws
  /// NXS_NotSupported.
  void *map();

  /// The host's address, which it may touch when use is done. No queue: it may now.
  struct Mapping {
    void *address = nullptr;
    QueuedWork use;
  };
  /// The same address, mapped by work in queue where it is not mapped yet; does not wait.
  Mapping mapIn(Queue &queue);

 private:
  void forgetFailedMapping(const QueuedWork &mapping);
  void unmap() noexcept;

  Device &device_;
  uint64_t size_;
  bool on_host_ = false;
  uint64_t counted_ = 0;  // bytes that the device counts for it
  nxs_id id_ = 0;
  std::mutex mutex_;
  void *mapped_ = nullptr;  // under mutex_
  QueuedWork mapping_;      // under mutex_: the work that maps
};

}  // namespace nexus::core
