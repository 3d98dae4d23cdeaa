// SPDX-License-Identifier: Apache-2.0
//
// A runtime, which is a loaded backend as an object, its devices, and their resources.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock.hpp"
#include "object/object.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

class MemoryCount {
 public:
  void add(uint64_t bytes) noexcept {
    const uint64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (peak < used && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
    }
  }
  void remove(uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  uint64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void resetPeak() noexcept { peak_.store(used(), std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> peak_{0};
};

inline constexpr std::string_view kPortableLanguage = "nexus";

class Device;
class DeviceQueues;
class Runtime;

/// Makes the queues of a new device. Defined in stream.cpp, which depends on this header.
DeviceQueues *makeQueuesOf(Device &device);

/// Made once and never freed, like its runtime, so the objects made on it keep a plain reference.
class Device final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Device;

  Device(Runtime &runtime, const Plugin &plugin, uint64_t index, nxs_id id);

  Runtime &runtime() const noexcept { return runtime_; }
  const Plugin &plugin() const noexcept { return plugin_; }
  nxs_id id() const noexcept { return id_; }
  const std::string &selector() const noexcept { return selector_; }

  /// Returns the alignment in bytes that a slice needs as an argument; at least 1.
  uint64_t offsetAlignment() const noexcept { return offset_alignment_; }
  /// Returns the largest number of work items in a group; UINT64_MAX if unknown.
  uint64_t maxGroupSize() const noexcept { return max_group_size_; }

  /// The queues of its streams and of its default stream; they live as long as the device.
  DeviceQueues &queues() const noexcept { return *queues_; }

  /// Returns the languages that the backend compiles for it; nothing if the plug-in does not say.
  std::optional<std::vector<std::string>> languages() const;

  /// Returns whether native handles of buffers are addresses instead of objects of the driver;
  /// DLPack fixes that for each type of device.
  bool handlesAreAddresses() const;

  /// Counts the memory of this process' buffers on the device.
  MemoryCount &memoryCount() noexcept { return memory_count_; }

  /// The MemoryResource that allocates its buffers (memory_resource.hpp); nothing: the plug-in.
  Ref<Counted> resource() const;
  void setResource(Ref<Counted> resource);

  /// Makes an empty schedule of the plug-in.
  Ref<Native> makeNativeSchedule() const;

  /// Throws NXS_InvalidValue if the number does not fit in a property.
  void setReleaseThreshold(uint64_t bytes);

  /// The objects that callers of the C functions made on the device.
  ObjectList &objects() noexcept { return objects_; }

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  Runtime &runtime_;
  const Plugin &plugin_;
  DeviceQueues *const queues_;
  const nxs_id id_;
  const std::string selector_;
  uint64_t offset_alignment_;
  uint64_t max_group_size_;
  MemoryCount memory_count_;
  std::atomic<uint64_t> release_threshold_{UINT64_MAX};
  std::atomic<bool> has_resource_{false};  // so that resource() takes no lock without one
  mutable std::mutex mutex_;
  Ref<Counted> resource_;  // under mutex_
  ObjectList objects_;
};

/// Lists a new object, which goes to the caller of a C function, with its device.
template <typename T>
Ref<T> listed(Device &device, Ref<T> object) {
  device.objects().add(*object);
  return object;
}

/// Throws NXS_InvalidDevice if an object of one device is used with one of another: "buffer is of
/// the device 'cuda:0', and the schedule of 'cpu:0'; ...".
void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what);

/// Made once for each loaded plug-in and never freed, like the plug-in itself, so its devices and
/// their objects need no reference to it.
class Runtime final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Runtime;

  explicit Runtime(const Plugin &plugin);

  const Plugin &plugin() const noexcept { return plugin_; }
  uint64_t deviceCount() const noexcept { return device_count_; }
  /// Returns the same object each time. Throws NXS_InvalidDevice.
  Device &device(uint64_t index);
  /// Returns the devices that device() has returned so far.
  std::vector<Device *> madeDevices();

  nxs_id nativeId() const noexcept override { return plugin_.runtime; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  const Plugin &plugin_;
  uint64_t device_count_;
  std::mutex mutex_;
  std::vector<Device *> devices_;  // under mutex_; NULL until requested
};

/// Returns the runtime of a plug-in, the same each time. It lives as long as the process.
Runtime &runtimeOf(const Plugin &plugin);

/// Returns the runtimes of this process so far: the backends whose devices were requested.
std::vector<Runtime *> madeRuntimes();

/// Returns the device of a selector: "cuda:1" is the second device of the backend cuda, "cpu" the
/// first of cpu. An empty one selects the device of NEXUS_DEVICE, else the
/// first GPU that compiles the portable language or has demo kernels, else the CPU, else the first
/// device. Lives as long as the process. Throws NXS_InvalidValue (no selector) and
/// NXS_DeviceNotFound (no such device).
Device &selectDevice(std::string_view selector);

}  // namespace nexus::core
