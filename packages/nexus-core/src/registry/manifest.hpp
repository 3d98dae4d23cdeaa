// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a plug-in, nxs_plugin.json: what can be known without opening
// its library.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace nexus::core {

/// The name that a manifest has in a plug-in's folder.
inline constexpr const char *kManifestName = "nxs_plugin.json";

/// A version of the C-API.
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
  ApiVersion oldest_host;         // "abi": "min", the oldest host that the plug-in serves
  ApiVersion built_with;          // "abi": "max", the headers that it was built with
};

/// Whether name can be a backend's: lower-case letters, digits, '_' and '-' after a
/// letter, at most 64; so it has no meaning of its own in a selector or a list.
bool isBackendName(std::string_view name) noexcept;

/// Reads and checks a manifest; unknown fields are passed over. Throws
/// NXS_InvalidValue with a sentence that names the file and the field.
Manifest readManifest(const std::filesystem::path &path);

}  // namespace nexus::core
