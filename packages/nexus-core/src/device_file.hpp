// SPDX-License-Identifier: Apache-2.0
//
// Device files: what is known of a kind of device, from documents, in
// <vendor>-<type>-<architecture>.json. The part of the name before ".json" is the stem.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"

namespace nexus::core {

class Device;

/// A device file, read and parsed.
struct DeviceFile {
  std::string stem;
  json::Value tree;  // an object
};

/// The stem of the file that a device has where there is one: "amd-cpu-znver4". Empty where the
/// device does not tell its vendor, type or architecture.
std::string stemOf(Device &device);

/// The files of a folder by their names; none where the folder can't be read. A file that is no
/// JSON object is left out with a warning in the log of backend.
std::vector<DeviceFile> readDeviceFiles(const std::filesystem::path &folder,
                                        const std::string &backend);

/// The file of that stem; nothing where the folder has none, or as above.
std::optional<DeviceFile> readDeviceFile(const std::filesystem::path &folder,
                                         const std::string &stem, const std::string &backend);

}  // namespace nexus::core
