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

/// A folder of device files, or a file in it that was not read yet.
struct DevicePlace {
  std::string path;
  std::string backend;  // for its log lines; empty for the user's and libnexus' own
};

/// The files of the folders by their stems, each with those that come after it.
using DeviceListing = std::map<std::string, std::vector<DevicePlace>, std::less<>>;

/// Returns the present folders, first those of NEXUS_DEVICE_PATH (':' in between, read each time),
/// then those in the backends' manifests, also of backends that can't be used here, then libnexus'
/// own. Of two files with one stem, the one in the earlier folder counts. Loads no backend. Adds
/// the folders' problems, and those of their indexes, to problems, which may be NULL.
std::vector<DevicePlace> deviceFolders(std::vector<DeviceFileProblem> *problems = nullptr);

/// Lists the files in the folders. Not cached, since a change behind a link does not change the
/// folder.
DeviceListing listDeviceFiles(const std::vector<DevicePlace> &folders);

/// Returns the first usable file, or NULL. Adds the problems of those before it to problems, which
/// may be NULL.
std::shared_ptr<const DeviceFile> firstDeviceFile(
    const std::vector<DevicePlace> &places, std::vector<DeviceFileProblem> *problems = nullptr);

/// Returns the usable file of exactly that stem, or NULL. Reads no other file.
std::shared_ptr<const DeviceFile> deviceFileOf(std::string_view stem);

/// The tree with the Name, Aliases and Variants of a file: of the folder's index if that has the
/// file, else of the file itself.
struct DeviceNames {
  std::string stem;
  std::shared_ptr<const json::Value> tree;
};
std::vector<DeviceNames> deviceNames(const DeviceListing &listing);

}  // namespace nexus::core
