// SPDX-License-Identifier: Apache-2.0
//
// Search for manifests in programs without Python.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// A manifest that was found, or the failure of a named place without one.
struct Found {
  std::filesystem::path manifest;  // empty for a failure
  std::string distribution;        // the installed package; empty if the user named the path
  std::string name;                // of a failure's record
  std::string failure;             // a sentence
};

/// Returns the manifests of NEXUS_PLUGIN_PATH: manifests, folders with a manifest, and folders of
/// such folders, with ':' in between. Sorted by name within a folder.
std::vector<Found> findInPluginPath(std::string_view plugin_path);

/// Returns the manifests of the packages nexus_* beside libnexus, if that is in <site>/nexus/lib;
/// the package nexus_cpu is the distribution nexus-cpu.
std::vector<Found> findBesideLibrary();

/// Returns the folder of device files of nexus-core itself, beside libnexus in <site>/nexus; empty
/// if libnexus is elsewhere.
std::filesystem::path ownDeviceFolder();

/// Returns name in the form in which distributions are compared: lower case, each run of '-', '_'
/// and '.' as one '-'.
std::string normalizedDistribution(std::string_view name);

}  // namespace nexus::core
