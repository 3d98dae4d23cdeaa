// SPDX-License-Identifier: Apache-2.0
//
// The host's side of the C-API: tags, and the services that plug-ins call.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <string_view>

namespace nexus::core {

/// The oldest minor version of the C-API whose plug-ins libnexus can use: always the first, since
/// minor versions only add functions.
inline constexpr uint32_t kOldestMinor = 0;

/// Assigns the next tag to a plug-in of that name and makes its host; both stay until the process
/// exits. Throws NXS_OutOfResources after 4095 tags.
const nxs_host &makeHost(std::string_view name);

/// Returns the name of the plug-in with that tag, also while it is being loaded; empty for an
/// unassigned tag.
std::string_view backendOfTag(uint32_t tag) noexcept;

}  // namespace nexus::core
