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

/// An entry for each device file, by its stem, and for each device here that has none: what that
/// says of itself. The folders are listed when it is made; a file is read when it is asked for, and
/// its entry then stays as it is. The backends are loaded for a stem that no file has, and for the
/// list of keys. Any thread may use it.
class DeviceDatabase final : public Properties {
 public:
  DeviceDatabase();

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  const json::Value *heldProperty(std::string_view name) override;
  /// Without the files that can't be used; reads all.
  std::vector<std::string> propertyKeys() override;
  json::Value sourceAt(const PropertyPath &path, std::size_t first) override;

 private:
  DeviceProperties *entryOf(const std::string &stem);
  DeviceProperties &keep(const std::string &stem, Ref<DeviceProperties> made);

  const DeviceListing listing_;
  std::mutex mutex_;                                      // held for a look into entries_ only
  std::map<std::string, Ref<DeviceProperties>> entries_;  // those that were asked for
};

/// What is wrong with device files and their folders now. Reads all.
std::vector<DeviceFileProblem> deviceFileProblems();

}  // namespace nexus::core
