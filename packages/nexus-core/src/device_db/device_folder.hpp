// SPDX-License-Identifier: Apache-2.0
//
// Where device files come from: the folders of the user, of the backends, and libnexus's own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device_db/device_file.hpp"

namespace nexus::core {

/// A folder of device files.
struct DeviceFolder {
  std::string path;
  std::string backend;  // whose log tells of it; empty for the user's and libnexus's own
};

/// The folders as they are now; of two files of one stem that of the first counts. Those of
/// NEXUS_DEVICE_PATH (':' between, read each time), those that the backends' manifests name, also
/// of backends that can't be used here, and libnexus's own. Loads no backend. problems gets what is
/// wrong with them; it may be NULL.
std::vector<DeviceFolder> deviceFolders(std::vector<DeviceFileProblem> *problems = nullptr);

/// A file that is there. What it holds has not been looked at.
struct DeviceFilePlace {
  std::string path;
  std::string backend;
  std::string folder;
};

/// What the folders hold: by stem, the places of its files, the one that counts first. Not kept
/// from call to call: a folder does not tell when what a link in it leads to changes.
using DeviceListing = std::map<std::string, std::vector<DeviceFilePlace>, std::less<>>;
DeviceListing listDeviceFiles(const std::vector<DeviceFolder> &folders);

/// The first of the places whose file can be used; NULL: none. problems gets those before it; it
/// may be NULL.
std::shared_ptr<const DeviceFile> firstDeviceFile(
    const std::vector<DeviceFilePlace> &places, std::vector<DeviceFileProblem> *problems = nullptr);

/// The file of exactly that stem: looks at no other one. NULL: none can be used.
std::shared_ptr<const DeviceFile> deviceFileOf(std::string_view stem);

}  // namespace nexus::core
