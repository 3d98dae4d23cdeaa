// SPDX-License-Identifier: Apache-2.0
#include "properties.hpp"

namespace nexus::core {

std::optional<json::Value> Properties::property(std::string_view name, nxs_property) {
  const json::Value *value = tree_.find(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<std::string> Properties::propertyKeys() {
  std::vector<std::string> names;
  for (const json::Member &member : *tree_.object()) {
    names.push_back(member.name);
  }
  return names;
}

}  // namespace nexus::core
