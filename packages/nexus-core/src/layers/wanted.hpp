// SPDX-License-Identifier: Apache-2.0
//
// The layers that NEXUS_LAYERS names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nexus::core::layers {

/// The names in NEXUS_LAYERS, in their order.
std::vector<std::string> wantedNames();

/// Whether NEXUS_LAYERS names that layer.
bool isWanted(std::string_view name);

}  // namespace nexus::core::layers
