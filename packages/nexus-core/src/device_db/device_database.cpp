// SPDX-License-Identifier: Apache-2.0
//
// All device files, as one set of properties.
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "device_db/device_folder.hpp"
#include "device_db/device_info.hpp"

namespace nexus::core {
namespace {

// Returns the present problems of device files and their folders. Reads all files.
json::Value::Array deviceFileProblems() {
  std::vector<DeviceFileProblem> problems;
  for (const auto &[stem, places] : listDeviceFiles(deviceFolders(&problems))) {
    firstDeviceFile(places, &problems);
  }
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
  return list;
}

Ref<DeviceProperties> infoOf(const DeviceListing &listing, const std::string &stem) {
  if (const auto found = listing.find(stem); found != listing.end()) {
    if (std::shared_ptr<const DeviceFile> file = firstDeviceFile(found->second)) {
      return make<DeviceProperties>(std::move(file));
    }
  }
  for (const DeviceHere &here : devicesHere()) {
    if (here.stem == stem) {
      return deviceInfo(*here.device);
    }
  }
  return {};
}

/// Has an entry for each device file, by its stem, and for each present device without one: its own
/// properties. The constructor lists the folders; a file is read at first use, and its entry is
/// then fixed. Backends are loaded only for a stem without a file, and for the list of keys. Any
/// thread may use it.
class DeviceDatabase final : public Properties {
 public:
  DeviceDatabase() : listing_(listDeviceFiles(deviceFolders())) {}

  const json::Value *heldProperty(std::string_view name) override {
    const DeviceProperties *entry = entryOf(std::string(name));
    return entry == nullptr ? nullptr : &entry->tree();
  }

  /// Excludes files that can't be used; reads all files.
  std::vector<std::string> propertyKeys() override {
    std::set<std::string> stems;
    for (const auto &[stem, places] : listing_) {
      if (firstDeviceFile(places) != nullptr) stems.insert(stem);
    }
    for (const DeviceHere &here : devicesHere()) stems.insert(here.stem);
    return {stems.begin(), stems.end()};
  }

  json::Value sourceAt(const PropertyPath &path, std::size_t first) override {
    // The path has a value, so the entry exists.
    return entryOf(keyOf(path.steps()[first]))->sourceAt(path, first + 1);
  }

 private:
  DeviceProperties *entryOf(const std::string &stem) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto known = entries_.find(stem); known != entries_.end()) {
        return known->second.get();
      }
    }
    Ref<DeviceProperties> made = infoOf(listing_, stem);
    if (!made) {
      return nullptr;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_.try_emplace(stem, std::move(made)).first->second.get();
  }

  const DeviceListing listing_;
  std::mutex mutex_;                                      // guards entries_ only
  std::map<std::string, Ref<DeviceProperties>> entries_;  // those used so far
};

}  // namespace
}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_get_device_info(nexus_properties **out_properties) {
  return giveResult(out_properties, "out_properties", [] { return make<DeviceDatabase>(); });
}

nxs_status nexus_get_device_info_problems(nxs_value *out_value) {
  return guarded([&] {
    requirePointer(out_value, "out_value");
    storeValue(json::Value(deviceFileProblems()), NXS_ValueType_Json, "Problems", out_value);
  });
}
