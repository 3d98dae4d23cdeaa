// SPDX-License-Identifier: Apache-2.0
//
// A device, and what is made on it.
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

/// The name of the portable kernel language.
inline constexpr std::string_view kPortableLanguage = "nexus";

class Device;
class DeviceQueues;
class Runtime;

/// The queues of a new device. Defined in device_queues.cpp, since queues come after devices.
DeviceQueues *makeQueuesOf(Device &device);

/// Made once and never freed, like its runtime, so that what is made on it keeps a
/// plain reference.
class Device final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Device;

  Device(Runtime &runtime, const Plugin &plugin, uint64_t index, nxs_id id);

  Runtime &runtime() const noexcept { return runtime_; }
  const Plugin &plugin() const noexcept { return plugin_; }
  nxs_id id() const noexcept { return id_; }
  const std::string &selector() const noexcept { return selector_; }

  /// The alignment in bytes that a slice needs to be an argument; at least 1.
  uint64_t offsetAlignment() const noexcept { return offset_alignment_; }
  /// The largest number of work items of a group; UINT64_MAX where the device does not say.
  uint64_t maxGroupSize() const noexcept { return max_group_size_; }

  /// Its streams' queues and its default stream; they live as long as the device.
  DeviceQueues &queues() const noexcept { return *queues_; }

  /// The languages that the backend compiles for it; nothing where the plug-in does not say.
  std::optional<std::vector<std::string>> languages() const;

  /// Whether the native handles of buffers are addresses, and no objects of the driver: DLPack
  /// fixes that by the type of device.
  bool handlesAreAddresses() const;

  /// Of the buffers that this process made on the device.
  MemoryCount &memoryCount() noexcept { return memory_count_; }

  /// Throws NXS_InvalidValue for a number of bytes that no property can tell.
  void setReleaseThreshold(uint64_t bytes);

  /// The objects that were made on the device for callers of the C functions.
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

/// Gives a new object of a device to the caller of a C function, and lists it with the device.
template <typename T>
void giveOutNew(Device &device, Ref<T> object, Object **out) {
  device.objects().add(*object);
  giveOut(std::move(object), out);
}

/// Throws NXS_InvalidDevice where a thing of one device is given to that of another:
/// "buffer is of the device 'cuda:0', and the schedule of 'cpu:0'; ..." .
void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what);

}  // namespace nexus::core
