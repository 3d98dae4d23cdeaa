// SPDX-License-Identifier: Apache-2.0
//
// What device files call the devices that they tell of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device_db/device_folder.hpp"

namespace nexus::core {

/// What a product of an architecture is called: its Name, then its aliases.
struct VariantNames {
  std::string name;
  std::vector<std::string> aliases;
};

/// What a device file says of names.
struct DeviceNames {
  std::string stem;
  std::vector<std::string> names;  // its Name and its aliases
  std::vector<VariantNames> variants;
};

/// The names of all files of a listing, by stem. The index of a folder is asked, where it has one
/// that knows the file; else the file is read.
std::vector<DeviceNames> namesOfFiles(const DeviceListing &listing);

/// The index of a folder; NULL: it has none that can be used. problems may be NULL.
std::shared_ptr<const DeviceFile> indexOf(const std::string &folder, const std::string &backend,
                                          std::vector<DeviceFileProblem> *problems = nullptr);

/// The names that a device file's tree has.
DeviceNames namesOfTree(std::string stem, const json::Value &tree);

}  // namespace nexus::core
