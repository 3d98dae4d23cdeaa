// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <algorithm>
#include <array>

#include "device/device_merge.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

constexpr PropertyFunction kDeviceProperty = &nxs_functions::GetDeviceProperty;

// Returns a size that the device reports, or fallback.
uint64_t statedSize(const Plugin &plugin, nxs_id id, nxs_property number, uint64_t fallback) {
  const auto stated = readNativeInt(plugin, kDeviceProperty, id, number, "device");
  return stated && *stated > 0 ? static_cast<uint64_t>(*stated) : fallback;
}

}  // namespace

Device::Device(Runtime &runtime, const Plugin &plugin, uint64_t index, nxs_id id)
    : Object(kType),
      runtime_(runtime),
      plugin_(plugin),
      queues_(makeQueuesOf(*this)),
      id_(id),
      selector_(plugin_.name + ":" + std::to_string(index)),
      offset_alignment_(statedSize(plugin_, id, NP_BufferOffsetAlignment, 1)),
      max_group_size_(
          statedSize(plugin_, id, NP_MaxThreadsPerBlock,
                     statedSize(plugin_, id, NP_MaxThreadsPerThreadgroup, UINT64_MAX))) {}

std::optional<std::vector<std::string>> Device::languages() const {
  const std::optional<json::Value> known =
      readNative(plugin_, kDeviceProperty, id_, NP_Languages, "device");
  if (!known || !known->isArray()) return std::nullopt;
  std::vector<std::string> languages;
  for (const json::Value &language : *known->array()) {
    if (language.isString()) languages.push_back(*language.string());
  }
  return languages;
}

bool Device::handlesAreAddresses() const {
  // DLPack's device types of OpenCL, Vulkan, Metal and WebGPU.
  constexpr std::array objects{4, 7, 8, 15};
  const auto place = readNative(plugin_, kDeviceProperty, id_, NP_DLPackDevice, "device");
  const json::Value::Array *numbers = place ? place->array() : nullptr;
  const int64_t *type =
      numbers != nullptr && !numbers->empty() ? numbers->front().integer() : nullptr;
  return type == nullptr || std::find(objects.begin(), objects.end(), *type) == objects.end();
}

std::optional<json::Value> Device::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_Keys:
      return keyNumbers(*this);
    case NP_MemoryUsed:
      return json::Value(static_cast<int64_t>(memory_count_.used()));
    case NP_MemoryPeak:
      return json::Value(static_cast<int64_t>(memory_count_.peak()));
    case NP_MemoryReserved:
      if (auto reserved = readNative(plugin_, kDeviceProperty, id_, number, "device")) {
        return reserved;
      }
      // the plug-in keeps no free memory
      return json::Value(static_cast<int64_t>(memory_count_.used()));
    case NP_MemorySubsystem: {
      auto memories = readNative(plugin_, kDeviceProperty, id_, number, "device");
      if (memories) orderMemories(*memories);
      return memories;
    }
    case NP_ReleaseThreshold:
      if (const uint64_t bytes = release_threshold_.load(); bytes != UINT64_MAX) {
        return json::Value(static_cast<int64_t>(bytes));
      }
      return std::nullopt;
    default:
      return readNative(plugin_, kDeviceProperty, id_, number, "device");
  }
}

std::vector<std::string> Device::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "MemoryUsed", "MemoryPeak", "MemoryReserved"};
  if (release_threshold_.load() != UINT64_MAX) {
    own.emplace_back("ReleaseThreshold");
  }
  return unionOf(std::move(own), readNativeKeys(plugin_, kDeviceProperty, id_, "device"));
}

void Device::setReleaseThreshold(uint64_t bytes) {
  if (bytes > INT64_MAX && bytes != UINT64_MAX) {
    throw Failure(NXS_InvalidValue, "bytes is " + std::to_string(bytes) + "; give at most " +
                                        std::to_string(INT64_MAX) +
                                        ", or UINT64_MAX (in Python None) to keep all.");
  }
  plugin_.callIfSupported(&nxs_functions::SetReleaseThreshold, "set how much memory is kept", id_,
                          bytes);
  release_threshold_.store(bytes);
}

void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what) {
  if (&given == &wanted) {
    return;
  }
  throw Failure(NXS_InvalidDevice, std::string(what) + " is of the device '" + given.selector() +
                                       "', and the " + for_what + " of '" + wanted.selector() +
                                       "'; give one made on '" + wanted.selector() + "'.");
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_selector(nexus_device *device, nxs_string *out_selector) {
  return guarded([&] {
    requirePointer(out_selector, "out_selector");
    const std::string &selector = given<Device>(device, "device").selector();
    *out_selector = {selector.data(), selector.size()};
  });
}

nxs_status nexus_device_get_objects(nexus_device *device, nxs_object_type type, uint64_t capacity,
                                    nexus_object **out_objects, uint64_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    if (capacity > 0) {
      requirePointer(out_objects, "out_objects");
    }
    Device &of = given<Device>(device, "device");
    if (type != NXS_ObjectType_Buffer && type != NXS_ObjectType_Library &&
        type != NXS_ObjectType_Stream && type != NXS_ObjectType_Event &&
        type != NXS_ObjectType_Schedule) {
      throw Failure(NXS_InvalidValue, "type is " + std::to_string(type) +
                                          "; a device lists its buffers, libraries, streams, "
                                          "events and schedules.");
    }
    std::vector<Ref<Object>> live = of.objects().live(type);
    *out_count = live.size();
    for (std::size_t i = 0; i < live.size() && i < capacity; ++i) {
      out_objects[i] = live[i].detach();
    }
  });
}

nxs_status nexus_device_trim_memory(nexus_device *device, uint64_t keep) {
  return guarded([&] {
    const Device &of = given<Device>(device, "device");
    of.plugin().callIfSupported(&nxs_functions::TrimMemory, "give memory back to the driver",
                                of.id(), keep);
  });
}

nxs_status nexus_device_set_release_threshold(nexus_device *device, uint64_t bytes) {
  return guarded([&] { given<Device>(device, "device").setReleaseThreshold(bytes); });
}

nxs_status nexus_device_reset_memory_peak(nexus_device *device) {
  return guarded([&] { given<Device>(device, "device").memoryCount().resetPeak(); });
}
