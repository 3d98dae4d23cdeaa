// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_database.hpp"

#include <set>
#include <utility>

#include "base/text.hpp"
#include "device/device.hpp"
#include "device_db/device_info.hpp"
#include "device_db/device_lookup.hpp"
#include "device_db/device_names.hpp"

namespace nexus::core {
namespace {

json::Value valueOf(const std::vector<DeviceFileProblem> &problems) {
  json::Value::Array list;
  for (const DeviceFileProblem &problem : problems) {
    json::Value entry{json::Value::Object{}};
    entry.set("File", asUtf8(problem.file));
    if (problem.line != 0) {
      entry.set("Line", problem.line);
      entry.set("Column", problem.column);
    }
    entry.set("Reason", problem.reason);
    list.push_back(std::move(entry));
  }
  return json::Value(std::move(list));
}

}  // namespace

DeviceDatabase::DeviceDatabase() : listing_(listDeviceFiles(deviceFolders())) {}

const json::Value *DeviceDatabase::heldProperty(std::string_view name) {
  const DeviceProperties *entry = entryOf(std::string(name));
  return entry == nullptr ? nullptr : &entry->tree();
}

std::optional<json::Value> DeviceDatabase::property(std::string_view name, nxs_property) {
  const json::Value *value = heldProperty(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<std::string> DeviceDatabase::propertyKeys() {
  std::set<std::string> stems;
  for (const auto &[stem, places] : listing_) {
    if (firstDeviceFile(places) != nullptr) {
      stems.insert(stem);
    }
  }
  for (const DeviceHere &here : devicesHere()) {
    stems.insert(here.stem);
  }
  return {stems.begin(), stems.end()};
}

json::Value DeviceDatabase::sourceAt(const PropertyPath &path, std::size_t first) {
  // The path has a value, so the entry exists.
  return entryOf(keyOf(path.steps()[first]))->sourceAt(path, first + 1);
}

DeviceProperties *DeviceDatabase::entryOf(const std::string &stem) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = entries_.find(stem); known != entries_.end()) {
      return known->second.get();
    }
  }
  if (const auto found = listing_.find(stem); found != listing_.end()) {
    if (std::shared_ptr<const DeviceFile> file = firstDeviceFile(found->second)) {
      return &keep(stem, fileInfo(std::move(file), {}));
    }
  }
  for (const DeviceHere &here : devicesHere()) {
    if (here.stem == stem) {
      return &keep(stem, deviceInfo(*here.device));
    }
  }
  return nullptr;
}

DeviceProperties &DeviceDatabase::keep(const std::string &stem, Ref<DeviceProperties> made) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return *entries_.try_emplace(stem, std::move(made)).first->second;
}

std::vector<DeviceFileProblem> deviceFileProblems() {
  std::vector<DeviceFileProblem> problems;
  const std::vector<DeviceFolder> folders = deviceFolders(&problems);
  for (const DeviceFolder &folder : folders) {
    indexOf(folder.path, folder.backend, &problems);
  }
  for (const auto &[stem, places] : listDeviceFiles(folders)) {
    firstDeviceFile(places, &problems);
  }
  return problems;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_get_device_info(nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    giveOut(make<DeviceDatabase>(), out_properties);
  });
}

nxs_status nexus_get_device_info_problems(nxs_value *out_value) {
  return guarded([&] {
    requirePointer(out_value, "out_value");
    storeValue(valueOf(deviceFileProblems()), NXS_ValueType_Json, "Problems", out_value);
  });
}

nxs_status nexus_lookup_device_info(nxs_string name, nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    giveOut(lookUpDevice(viewOf(name, "name")), out_properties);
  });
}

nxs_status nexus_lookup_device_info_of(nexus_device *device, nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    giveOut(deviceFileInfo(given<Device>(device, "device")), out_properties);
  });
}
