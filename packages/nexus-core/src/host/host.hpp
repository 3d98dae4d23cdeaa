// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the C-API: tags, and the services that plug-ins call.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <string_view>

namespace nexus::core {

/// The oldest minor version of the C-API whose plug-ins libnexus can use: the first, always, since
/// a minor only appends.
inline constexpr uint32_t kOldestMinor = 0;

/// Gives the next tag, for a plug-in of that name, and the host that it is loaded
/// with; both stay for the life of the process. Throws NXS_OutOfResources after
/// 4095 tags.
const nxs_host &makeHost(std::string_view name);

/// The name of the plug-in with that tag, while it is loaded already; empty for a
/// tag that was not given.
std::string_view backendOfTag(uint32_t tag) noexcept;

}  // namespace nexus::core
