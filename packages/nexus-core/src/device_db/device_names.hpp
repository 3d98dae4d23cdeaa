// SPDX-License-Identifier: Apache-2.0
//
// Names of the devices in device files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device_db/device_folder.hpp"

namespace nexus::core {

/// The names of a product: its Name and its aliases.
struct VariantNames {
  std::string name;
  std::vector<std::string> aliases;
};

struct DeviceNames {
  std::string stem;
  std::vector<std::string> names;  // its Name, then its aliases
  std::vector<VariantNames> variants;
};

/// Returns the names of all files of a listing, by stem. Reads them from the folder's index if that
/// has the file, else from the file.
std::vector<DeviceNames> namesOfFiles(const DeviceListing &listing);

/// Returns the usable index of a folder, or NULL. problems may be NULL.
std::shared_ptr<const DeviceFile> indexOf(const std::string &folder, const std::string &backend,
                                          std::vector<DeviceFileProblem> *problems = nullptr);

DeviceNames namesOfTree(std::string stem, const json::Value &tree);

}  // namespace nexus::core
