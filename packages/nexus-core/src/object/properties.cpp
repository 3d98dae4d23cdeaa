// SPDX-License-Identifier: Apache-2.0
#include "object/properties.hpp"

namespace nexus::core {

std::optional<json::Value> Properties::property(std::string_view name, nxs_property) {
  const json::Value *value = heldProperty(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

json::Value Properties::source(const PropertyPath &path) {
  std::optional<json::Value> made;
  readProperty(*this, path, made);
  return sourceAt(path, 0);
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_get_property_source(nexus_properties *properties, const nexus_key *path,
                                     uint64_t depth, nxs_value *out_value) {
  return guarded([&] {
    Properties &asked = given<Properties>(properties, "properties");
    const PropertyPath steps(path, depth);
    storeValue(asked.source(steps), NXS_ValueType_Json, steps.text(), out_value);
  });
}
