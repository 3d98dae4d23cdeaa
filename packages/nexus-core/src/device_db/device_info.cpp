// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_info.hpp"

#include <optional>
#include <utility>

#include "base/log.hpp"
#include "device/device.hpp"
#include "device_db/device_folder.hpp"
#include "device_db/device_name.hpp"
#include "host/property_name.hpp"
#include "registry/backends.hpp"

namespace nexus::core {
namespace {

// Returns nothing for an invalid answer too, so that the device's other values can be used.
std::optional<json::Value> valueOf(Device &device, nxs_property number) {
  try {
    return device.property(propertyName(number), number);
  } catch (const Failure &failure) {
    if (failure.status() != NXS_InternalError) throw;
    logLine(NXS_LogLevel_Warning, device.plugin().name, failure.text());
    return std::nullopt;
  }
}

std::string textOf(Device &device, nxs_property number) {
  const std::optional<json::Value> value = valueOf(device, number);
  return value && value->isString() ? *value->string() : std::string();
}

json::Value saidBy(Device &device) {
  json::Value own{json::Value::Object{}};
  for (const std::string &name : device.propertyKeys()) {
    const auto number = propertyNumber(name);
    if (!number || *number == NP_Keys) {
      continue;
    }
    if (auto value = valueOf(device, *number)) {
      own.set(name, *std::move(value));
    }
  }
  return own;
}

// Returns the stem of a device's file, whether it exists or not: "amd-cpu-znver4". Empty if the
// device does not report its vendor, type or architecture.
std::string stemOf(Device &device) {
  const std::string vendor = textOf(device, NP_Vendor);
  const std::string type = textOf(device, NP_Type);
  const std::string architecture = textOf(device, NP_Architecture);
  const bool whole = !vendor.empty() && !type.empty() && !architecture.empty();
  return whole ? stemOfParts(vendor, type, architecture) : std::string();
}

Ref<DeviceProperties> infoOf(Device &device, std::shared_ptr<const DeviceFile> file,
                             json::Value said) {
  std::string variant;
  if (file != nullptr) variant = variantOf(file->tree, textOf(device, NP_Name));
  return make<DeviceProperties>(std::move(file), std::move(variant), std::move(said));
}

// Returns the device's file with its variant, without the device's own properties. Throws
// NXS_InvalidValue, with the stem, if there is none.
Ref<DeviceProperties> deviceFileInfo(Device &device) {
  const std::string stem = stemOf(device);
  if (stem.empty()) {
    throw Failure(NXS_InvalidValue,
                  "device is '" + device.selector() +
                      "', which does not report its Vendor, Type and Architecture, so it has no "
                      "device file; its get_info() has the properties that it reports itself.");
  }
  std::shared_ptr<const DeviceFile> file = deviceFileOf(stem);
  if (file == nullptr) {
    throw Failure(NXS_InvalidValue,
                  "device is '" + device.selector() + "', which has no device file '" + stem +
                      ".json'; its get_info() has the properties that it reports itself, and "
                      "NEXUS_DEVICE_PATH adds folders of device files.");
  }
  return infoOf(device, std::move(file), json::Value::Object{});
}

}  // namespace

Ref<DeviceProperties> deviceInfo(Device &device) {
  return infoOf(device, deviceFileOf(stemOf(device)), saidBy(device));
}

std::vector<DeviceHere> devicesHere() {
  std::vector<DeviceHere> devices;
  for (const Plugin *plugin : loadedPlugins()) {
    Runtime &runtime = runtimeOf(*plugin);
    for (uint64_t i = 0; i < runtime.deviceCount(); ++i) {
      try {
        Device &device = runtime.device(i);
        if (std::string stem = stemOf(device); !stem.empty()) {
          devices.push_back({std::move(stem), &device});
        }
      } catch (const Failure &failure) {  // skip a lost device
        logLine(NXS_LogLevel_Warning, plugin->name, failure.text());
      }
    }
  }
  return devices;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_info(nexus_device *device, nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties",
                    [&] { return deviceInfo(given<Device>(device, "device")); });
}

nxs_status nexus_lookup_device_info_of(nexus_device *device, nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties",
                    [&] { return deviceFileInfo(given<Device>(device, "device")); });
}
