// SPDX-License-Identifier: Apache-2.0
//
// All device files, as one set of properties.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.hpp"
#include "device_db/device_folder.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

/// Has an entry for each device file, by its stem, and for each present device without one: its own
/// properties. The constructor lists the folders; a file is read at first use, and its entry is
/// then fixed. Backends are loaded only for a stem without a file, and for the list of keys. Any
/// thread may use it.
class DeviceDatabase final : public Properties {
 public:
  DeviceDatabase();

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  const json::Value *heldProperty(std::string_view name) override;
  /// Excludes files that can't be used; reads all files.
  std::vector<std::string> propertyKeys() override;
  json::Value sourceAt(const PropertyPath &path, std::size_t first) override;

 private:
  DeviceProperties *entryOf(const std::string &stem);
  DeviceProperties &keep(const std::string &stem, Ref<DeviceProperties> made);

  const DeviceListing listing_;
  std::mutex mutex_;                                      // guards entries_ only
  std::map<std::string, Ref<DeviceProperties>> entries_;  // those used so far
};

/// Returns the present problems of device files and their folders. Reads all files.
std::vector<DeviceFileProblem> deviceFileProblems();

}  // namespace nexus::core
