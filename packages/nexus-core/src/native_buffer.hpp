// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's buffer and its mapping.
#pragma once

#include <mutex>

#include "device.hpp"
#include "use.hpp"

namespace nexus::core {

/// Made and released with the plug-in's own: its id ends with this, its storage when the work
/// that uses it is done. Any thread may use it.
class NativeBuffer {
 public:
  /// host_data as nxsCreateBuffer says.
  NativeBuffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data);
  ~NativeBuffer();
  NativeBuffer(const NativeBuffer &) = delete;
  NativeBuffer &operator=(const NativeBuffer &) = delete;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }

  /// The host's address, mapped at the first call; waits for the mapping. Throws
  /// NXS_NotSupported.
  void *map();

  /// The host's address, which it may touch when use is done. No queue: it may now.
  struct Mapping {
    void *address = nullptr;
    Use use;
  };
  /// The same address, mapped by work in queue where it is not mapped yet; does not wait.
  Mapping mapIn(Queue &queue);

 private:
  void forgetFailedMapping(const Use &mapping);
  void unmap() noexcept;

  Device &device_;
  const uint64_t size_;
  nxs_id id_ = 0;
  std::mutex mutex_;
  void *mapped_ = nullptr;  // under mutex_
  Use mapping_;             // under mutex_: the work that maps
};

}  // namespace nexus::core
