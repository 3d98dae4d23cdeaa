// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a plug-in, nxs_plugin.json, which describes it without opening its library.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

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
  std::filesystem::path devices;  // absolute folder of device files; empty where there is none
  ApiVersion oldest_host;         // "abi": "min", the oldest supported host
  ApiVersion built_with;          // "abi": "max", the headers that it was built with
};

/// Returns whether name can be a backend's: a lower-case letter, followed by lower-case letters,
/// digits, '_' and '-', at most 64; so it is unambiguous in a selector or a list.
bool isBackendName(std::string_view name) noexcept;

/// Reads and checks a manifest; ignores unknown fields. Throws NXS_InvalidValue with a sentence
/// that names the file and the field.
Manifest readManifest(const std::filesystem::path &path);

}  // namespace nexus::core
