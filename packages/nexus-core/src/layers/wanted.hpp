// SPDX-License-Identifier: Apache-2.0
//
// The layers in NEXUS_LAYERS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nexus::core::layers {

/// Returns the names in NEXUS_LAYERS, in order.
std::vector<std::string> wantedNames();

/// Returns whether NEXUS_LAYERS names that layer.
bool isWanted(std::string_view name);

}  // namespace nexus::core::layers
