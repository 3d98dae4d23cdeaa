// SPDX-License-Identifier: Apache-2.0
//
// The storage of buffers: memory of a device, as a plug-in's buffer, or of the host, and the work
// that uses it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.hpp"
#include "device/device.hpp"
#include "object/property.hpp"
#include "stream/in_flight_set.hpp"

namespace nexus::core {

/// Memory that another library or the program allocated for a device, as in
/// nxsCreateBufferFromHandle.
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
  /// Takes over a buffer that the plug-in made of existing memory, and reads its size.
  NativeBuffer(Device &device, nxs_id made);
  ~NativeBuffer();
  NativeBuffer(const NativeBuffer &) = delete;
  NativeBuffer &operator=(const NativeBuffer &) = delete;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  uint64_t size() const noexcept { return size_; }  // bytes

  NativeProperties properties() const { return propertiesOf(device_.plugin()); }
  /// Returns where it begins in the driver's object that its handle names; 0 if the handle is the
  /// address of its first byte.
  uint64_t handleOffset() const noexcept { return handle_offset_; }
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
  NativeProperties propertiesOf(const Plugin &plugin) const {
    return {plugin, &nxs_functions::GetBufferProperty, id_, "buffer"};
  }
  bool isOfHost() const noexcept;
  void forgetFailedMapping(const QueuedWork &mapping);
  void unmap() noexcept;

  Device &device_;
  uint64_t size_;
  uint64_t handle_offset_ = 0;
  bool on_host_ = false;
  uint64_t counted_ = 0;  // bytes counted for it by the device
  nxs_id id_ = 0;
  std::mutex mutex_;
  void *mapped_ = nullptr;  // under mutex_
  QueuedWork mapping_;      // under mutex_: the work that maps it
};

/// A schedule's scratch memory: the schedule places it in an ordinary memory of the device, and
/// only its commands and the functions that it calls use it there.
struct ScratchOwner {
  uint64_t schedule;  // its number
};
/// The place of scratch memory: the index of a memory of its schedule, counted from 1, and the
/// offset in it.
struct ScratchPlace {
  uint64_t arena = 0;  // 0: it was not placed yet
  uint64_t offset = 0;
};

/// Shared by the buffer that made it, its slices, and the commands that use them. The bytes stay
/// until the work that uses them is done. Any thread may use it.
///
/// An empty buffer has a memory of 1 byte.
///
/// A device's memory is one buffer of its plug-in. System memory is memory of the host, and each
/// device that uses it gets a plug-in's buffer over it at the first use. All work that uses the
/// memory is noted here, whatever the device.
class Memory final : public Counted {
 public:
  /// Allocates memory of a device. Calls host.release once when nothing uses the memory any more,
  /// but not if this throws.
  Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
         ForeignOwner host);
  /// Wraps a device's memory that another library or the program allocated; host.release as above.
  Memory(Device &device, uint64_t size, const ForeignMemory &memory, ForeignOwner host);
  /// Takes over a plug-in's buffer of memory that exists already. of_library: any work on the
  /// device may use it, through the code of a library.
  Memory(Device &device, nxs_id made, bool of_library);
  /// Allocates system memory: size bytes, rounded up to whole pages, not cleared.
  explicit Memory(uint64_t size);
  /// Describes scratch memory. Allocates nothing.
  Memory(Device &device, uint64_t size, ScratchOwner owner);
  /// Wraps memory of the host as system memory; host.release as above.
  Memory(void *start, uint64_t size, ForeignOwner host);

  /// NULL for system memory.
  Device *device() const noexcept { return device_; }
  /// Of scratch memory: the number of its schedule; else 0.
  uint64_t scratchOf() const noexcept { return scratch_of_; }
  /// Of scratch memory; under its schedule's mutex.
  ScratchPlace place;

  /// NP_ID: the plug-in's id, or a number of its own for system and scratch memory.
  nxs_id id() const noexcept { return own_ ? own_->id() : number_; }

  /// Of a device's ordinary memory: returns the properties of the plug-in's buffer.
  NativeProperties properties() const { return own_->properties(); }
  /// As of NativeBuffer; 0 for scratch memory and memory of the host.
  uint64_t handleOffset() const noexcept { return own_ ? own_->handleOffset() : 0; }

  /// Returns the plug-in's id of the memory on a device; imports system memory at the first call.
  /// 0 for scratch memory. Throws NXS_InvalidDevice for another device's memory, with a text made
  /// of what and for_what, and NXS_NotSupported if the device can't use the host's pages.
  nxs_id on(Device &device, const char *what, const char *for_what);

  uint64_t size() const noexcept { return size_; }  // bytes; at least 1
  /// Returns the handle with which other processes import it. Throws NXS_InvalidOperation and
  /// NXS_NotSupported.
  std::string exported() const;

  /// Uses by copies and fills.
  InFlightSet &inFlight() noexcept { return uses_; }
  /// Counts a schedule's runs as uses of the memory until detach() has been called as often as
  /// attach().
  void attach(InFlightSet &runs);
  void detach(InFlightSet &runs);
  /// Count the program's buffers over the memory. When the last is gone, runs of calls end: see
  /// InFlightSet::end.
  void addBuffer() noexcept { buffers_.fetch_add(1, std::memory_order_relaxed); }
  void removeBuffer();
  /// Returns the submitted work that uses the memory and is not done; in a function that a schedule
  /// calls, without held work, which may wait for the function. Throws the failure of work that
  /// failed.
  std::vector<QueuedWork> pending();

  /// Returns the host's address of the memory, to be used once pending() is done. Throws
  /// NXS_NotSupported if the memory is not visible to the host.
  void *address() { return own_ ? own_->map() : pages_; }
  /// Like address(), but maps a device's memory by work in a queue of that device if necessary, and
  /// does not wait. The address is NULL if the memory is not visible to the host.
  NativeBuffer::Mapping addressIn(Queue &queue);
  /// Returns another device's buffer over this device's memory, by which it accesses the memory in
  /// place. 0: the device has no such access.
  nxs_id reachedFrom(Device &device);

 private:
  ~Memory() override;

  struct Attached {
    Ref<InFlightSet> runs;
    uint32_t count;
    uint64_t since;  // runs counted after this use the memory
  };

  Device *const device_;
  const uint64_t generation_ = processGeneration();
  uint64_t size_ = 0;
  void *const pages_ = nullptr;  // system memory; given back by host_
  const nxs_id number_ = 0;      // of system and scratch memory
  const uint64_t scratch_of_ = 0;
  const bool of_library_ = false;
  const ForeignOwner host_;
  std::optional<NativeBuffer> own_;  // a device's ordinary memory
  InFlightSet uses_;
  std::atomic<uint32_t> buffers_{0};
  std::mutex mutex_;
  // Under mutex_: the memory as buffers of other devices. For a device's memory, also empty entries
  // for devices without access.
  struct Import {
    Device *device;
    std::unique_ptr<NativeBuffer> buffer;
  };
  std::vector<Import> imports_;
  std::vector<Attached> attached_;  // under mutex_
};

}  // namespace nexus::core
