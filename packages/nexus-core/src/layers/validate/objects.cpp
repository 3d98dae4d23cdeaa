// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/objects.hpp"

#include <nexus-plugin/base/object_type.hpp>
#include <nexus-plugin/base/text.hpp>

#include <map>
#include <tuple>

#include "base/process.hpp"
#include "layers/calls_text.hpp"

namespace nexus::core::layers::validation {
namespace {

struct Amount {
  uint64_t count = 0;
  uint64_t bytes = 0;
  nxs_id first = 0;
};

std::string leakText(const std::string &place, const std::string &type, const std::string &name,
                     const Amount &amount) {
  using nexus_plugin::join;
  const bool one = amount.count == 1;
  return join(one ? join("the ", type, " ", idText(amount.first))
                  : join(amount.count, " objects of the type ", type),
              name.empty() ? "" : join(" '", name, "'"),
              amount.bytes == 0 ? "" : join(", ", amount.bytes, " bytes,"),
              one ? " was not released" : " were not released",
              place.empty() ? "" : join("; made at ", place));
}

}  // namespace

Locked::Locked() : objects_(ofProcess<Objects>()), lock_(objects_.mutex) {}

std::vector<Leak> leaks() {
  // By tag, place, type and name.
  std::map<std::tuple<uint32_t, std::string, std::string, std::string>, Amount> found;
  {
    const Locked objects;
    for (const auto &[id, facts] : objects->all) {
      const nxs_object_type type = NXS_ID_TYPE(id);
      // Devices are never released, and commands belong to their schedules.
      if (facts->of_core || type == NXS_ObjectType_Device || type == NXS_ObjectType_Command) {
        continue;
      }
      Amount &amount = found[{NXS_ID_TAG(id), placeText(facts->place),
                              nexus_plugin::object_name(type), facts->name}];
      ++amount.count;
      amount.bytes += facts->size;
      amount.first = id;
    }
  }
  std::vector<Leak> all;
  for (const auto &[key, amount] : found) {
    const auto &[tag, place, type, name] = key;
    all.push_back({tag, leakText(place, type, name, amount)});
  }
  return all;
}

}  // namespace nexus::core::layers::validation
