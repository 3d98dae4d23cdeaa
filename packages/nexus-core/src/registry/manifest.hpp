// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a plug-in, nxs_plugin.json, which describes it without opening its library, and
// the search for manifests in programs without Python.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// The file name of a manifest in a plug-in's folder.
inline constexpr const char *kManifestName = "nxs_plugin.json";

struct ApiVersion {
  uint32_t major = 0;
  uint32_t minor = 0;

  friend auto operator<=>(const ApiVersion &, const ApiVersion &) = default;
};

/// "1.0"
std::string apiText(ApiVersion version);

struct Manifest {
  std::filesystem::path path;     // of the manifest, absolute
  std::string name;               // the backend's
  std::string version;            // the plug-in's own; may be empty
  std::filesystem::path library;  // absolute
  std::filesystem::path devices;  // absolute folder of device files; empty if there is none
  ApiVersion oldest_host;         // "abi": "min", the oldest supported host
  ApiVersion built_with;          // "abi": "max", the headers that it was built with
};

/// Returns whether name can be a backend's: a lower-case letter, followed by lower-case letters,
/// digits, '_' and '-', at most 64; so it is unambiguous in a selector or a list.
bool isBackendName(std::string_view name) noexcept;

/// Reads and checks a manifest; ignores unknown fields. Throws NXS_InvalidValue with a sentence
/// that names the file and the field.
Manifest readManifest(const std::filesystem::path &path);

/// A manifest that was added or found, or why there is none: a place that was named, or a hook,
/// without one.
struct Found {
  std::filesystem::path manifest;  // empty for a failure
  std::string distribution;        // the installed package; empty if the user named the path
  std::string name;                // of a failure's record
  std::string failure;             // a sentence

  friend bool operator==(const Found &, const Found &) = default;
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
