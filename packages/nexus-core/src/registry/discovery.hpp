// SPDX-License-Identifier: Apache-2.0
//
// Where a program without Python finds manifests.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// A manifest that was found, or a place that was named and holds none.
struct Found {
  std::filesystem::path manifest;  // empty where failure says why
  std::string distribution;        // the installed package; empty where the user named the path
  std::string name;                // with failure: what the record is called
  std::string failure;             // a sentence
};

/// What NEXUS_PLUGIN_PATH names: ':' between manifests, folders with a manifest, and
/// folders of such folders. Sorted by name within a folder.
std::vector<Found> findInPluginPath(std::string_view plugin_path);

/// The manifests of the packages nexus_* beside libnexus, where it lies in
/// <site>/nexus/lib; a package nexus_cpu is the distribution nexus-cpu.
std::vector<Found> findBesideLibrary();

/// The folder of device files that nexus-core itself brings, beside libnexus in <site>/nexus;
/// empty where libnexus lies elsewhere.
std::filesystem::path ownDeviceFolder();

/// name as distributions are compared: lower case, each run of '-', '_' and '.' one '-'.
std::string normalizedDistribution(std::string_view name);

}  // namespace nexus::core
