// SPDX-License-Identifier: Apache-2.0
#include "layers/wanted.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"

namespace nexus::core::layers {

std::vector<std::string> wantedNames() {
  const char *names = std::getenv("NEXUS_LAYERS");
  return splitWords(names == nullptr ? "" : names, ',');
}

bool isWanted(std::string_view name) {
  const std::vector<std::string> names = wantedNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace nexus::core::layers
