// SPDX-License-Identifier: Apache-2.0
//
// The storage of buffers: a device's memory or the host's, and the work that uses it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.hpp"
#include "device/device.hpp"
#include "memory/native_buffer.hpp"
#include "stream/in_flight_set.hpp"

namespace nexus::core {

/// Host memory that is used in place, and how to give it back.
struct HostStorage {
  void (*release)(void *) = nullptr;
  void *context = nullptr;
};

/// Shared by the buffer that made it, its slices and the commands that use them, and ends with
/// the last of them; the bytes live until the work that uses them is done. Any thread may use it.
///
/// An empty buffer has a memory too, of 1 byte.
///
/// A device's memory is one buffer of its plug-in. The system's is pages of the host, of which
/// each device that uses them has a plug-in's buffer, made at the first use. Whatever the device,
/// all work that uses the memory is noted here.
class Memory final : public Counted {
 public:
  /// A device's. Calls host.release once, when nothing uses the memory any more; not where this
  /// throws.
  Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
         HostStorage host);
  /// A device's that somebody else got; host.release as above.
  Memory(Device &device, uint64_t size, const ForeignMemory &memory, HostStorage host);
  /// A device's that another process exported, by what exported() gave there.
  Memory(Device &device, std::string_view handle);
  /// The system's: size bytes, rounded up to whole pages, not cleared.
  explicit Memory(uint64_t size);

  /// NULL for the system's.
  Device *device() const noexcept { return device_; }
  /// What NP_ID tells: the plug-in's id, or a number of the system's own.
  nxs_id id() const noexcept { return own_ ? own_->id() : number_; }

  /// The plug-in's id of the memory on a device, which begins to use the system's here. Throws
  /// NXS_InvalidDevice for another device's memory, naming what was given for what, and
  /// NXS_NotSupported where the device can't use the host's pages.
  nxs_id on(Device &device, const char *what, const char *for_what);

  uint64_t size() const noexcept { return size_; }  // bytes; at least 1
  /// By which other processes open it. Throws NXS_InvalidOperation and NXS_NotSupported.
  std::string exported() const;

  /// The uses by copies and fills.
  InFlightSet &inFlight() noexcept { return uses_; }
  /// A schedule's runs use the memory from now on; until detach, called as often.
  void attach(InFlightSet &runs);
  void detach(InFlightSet &runs);
  /// The submitted work that uses the memory and is not done. Throws the failure of work
  /// that failed.
  std::vector<QueuedWork> pending();

  /// The host's address of the memory, which it may touch when pending() is done. Throws
  /// NXS_NotSupported where it is not visible to the host.
  void *address() { return own_ ? own_->map() : pages_; }
  /// The same address of a device's memory, mapped by work in a queue of that device where it is
  /// not mapped yet; does not wait. No address: the host does not see the memory.
  NativeBuffer::Mapping addressIn(Queue &queue);
  /// A device's memory as the plug-in's buffer of another device of the backend, whose work then
  /// uses it where it lies. 0: that one does not reach it.
  nxs_id reachedFrom(Device &device);

 private:
  ~Memory() override;

  struct Attached {
    Ref<InFlightSet> runs;
    uint32_t count;
    uint64_t since;  // runs from then on use the memory
  };

  Device *const device_;
  const uint64_t generation_ = processGeneration();
  uint64_t size_ = 0;
  void *const pages_ = nullptr;  // the system's; host_ frees them
  const nxs_id number_ = 0;      // the system's
  const HostStorage host_;
  std::optional<NativeBuffer> own_;  // a device's
  InFlightSet uses_;
  std::mutex mutex_;
  // Under mutex_: as other devices have it. Of a device's memory also those, empty, that do not.
  struct Import {
    Device *device;
    std::unique_ptr<NativeBuffer> buffer;
  };
  std::vector<Import> imports_;
  std::vector<Attached> attached_;  // under mutex_
};

}  // namespace nexus::core
