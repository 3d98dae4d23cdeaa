// SPDX-License-Identifier: Apache-2.0
#include "layers/layer.hpp"

#include "base/text.hpp"

namespace nexus::core::layers {

std::vector<std::string> wantedNames() {
  return splitWords(environmentValue("NEXUS_LAYERS"), ',');
}

bool isWanted(std::string_view name) {
  return contains(wantedNames(), name);
}

}  // namespace nexus::core::layers
