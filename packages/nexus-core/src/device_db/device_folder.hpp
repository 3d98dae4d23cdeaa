// SPDX-License-Identifier: Apache-2.0
//
// The folders of device files: the user's, the backends', and libnexus' own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device_db/device_file.hpp"

namespace nexus::core {

struct DeviceFolder {
  std::string path;
  std::string backend;  // for its log lines; empty for the user's and libnexus' own
};

/// Returns the present folders, first those of NEXUS_DEVICE_PATH (':' in between, read each time),
/// then those in the backends' manifests, also of backends that can't be used here, then libnexus'
/// own. Of two files with one stem, the one in the earlier folder counts. Loads no backend. Adds
/// the folders' problems to problems, which may be NULL.
std::vector<DeviceFolder> deviceFolders(std::vector<DeviceFileProblem> *problems = nullptr);

/// A file that exists and was not read yet.
struct DeviceFilePlace {
  std::string path;
  std::string backend;
  std::string folder;
};

/// Lists the files in the folders, by stem, in the order of precedence. Not cached, since a change
/// behind a link does not change the folder.
using DeviceListing = std::map<std::string, std::vector<DeviceFilePlace>, std::less<>>;
DeviceListing listDeviceFiles(const std::vector<DeviceFolder> &folders);

/// Returns the first usable file, or NULL. Adds the problems of those before it to problems, which
/// may be NULL.
std::shared_ptr<const DeviceFile> firstDeviceFile(
    const std::vector<DeviceFilePlace> &places, std::vector<DeviceFileProblem> *problems = nullptr);

/// Returns the usable file of exactly that stem, or NULL. Reads no other file.
std::shared_ptr<const DeviceFile> deviceFileOf(std::string_view stem);

}  // namespace nexus::core
