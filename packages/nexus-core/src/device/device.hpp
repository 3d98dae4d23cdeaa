// SPDX-License-Identifier: Apache-2.0
//
// A device and its resources.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory_count.hpp"
#include "object/object.hpp"
#include "object/object_list.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

inline constexpr std::string_view kPortableLanguage = "nexus";

class Device;
class DeviceQueues;
class Runtime;

/// Makes the queues of a new device. Defined in device_queues.cpp, which depends on this header.
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
  ObjectList objects_;
};

/// Passes a new object of a device to the caller of a C function, and lists it with the device.
template <typename T>
void giveOutNew(Device &device, Ref<T> object, Object **out) {
  device.objects().add(*object);
  giveOut(std::move(object), out);
}

/// Throws NXS_InvalidDevice if an object of one device is used with one of another: "buffer is of
/// the device 'cuda:0', and the schedule of 'cpu:0'; ...".
void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what);

}  // namespace nexus::core
