// SPDX-License-Identifier: Apache-2.0
#include "layers/layer.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nexus::core::layers {

std::vector<std::string> wantedNames() {
  return splitWords(environmentValue("NEXUS_LAYERS"), ',');
}

bool isWanted(std::string_view name) {
  const std::vector<std::string> names = wantedNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace nexus::core::layers
