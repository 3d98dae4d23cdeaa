// SPDX-License-Identifier: Apache-2.0
//
// The storage of buffers: a plug-in's buffer and the work that uses it.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "device.hpp"
#include "ref.hpp"
#include "use.hpp"

namespace nexus::core {

/// The caller's memory that a buffer uses in place, and how to give it back.
struct HostStorage {
  void (*release)(void *) = nullptr;
  void *context = nullptr;
};

/// One buffer of a plug-in, shared by the buffer that made it, its slices and the commands
/// that use them. The plug-in's buffer ends with the last of them; its storage lives until
/// the work that uses it is done. Any thread may use it.
class Memory final : public Counted {
 public:
  /// Calls host.release once, when nothing uses the memory any more; not where this throws.
  Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
         HostStorage host);

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  uint64_t size() const noexcept { return size_; }

  /// The uses by copies and fills.
  Uses &uses() noexcept { return uses_; }
  /// A schedule's runs use the memory from now on; until detach, called as often.
  void attach(Uses &runs);
  void detach(Uses &runs);
  /// The submitted work that uses the memory and is not done. Throws the failure of work
  /// that failed.
  std::vector<Use> pending();

  /// The host's address of the memory, mapped at the first call; waits for the mapping.
  /// Throws NXS_NotSupported.
  void *map();

 private:
  ~Memory() override;
  void forgetFailedMapping(const Use &mapping);
  void unmap() noexcept;

  struct Attached {
    Ref<Uses> runs;
    uint32_t count;
    uint64_t since;  // runs from then on use the memory
  };

  Device &device_;
  const uint64_t size_;
  const HostStorage host_;
  nxs_id id_ = 0;
  Uses uses_;
  std::mutex mutex_;
  std::vector<Attached> attached_;  // under mutex_
  void *mapped_ = nullptr;          // under mutex_
  Use mapping_;                     // under mutex_: the work that maps
};

}  // namespace nexus::core
