// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/objects.hpp"

#include <nexus-plugin/base/text.hpp>

#include <map>
#include <tuple>

#include "base/process.hpp"
#include "layers/calls_text.hpp"

namespace nexus::core::layers::validation {
namespace {

// Calls visit(type, name of the type, table) for each table.
template <typename Tables, typename Visit>
void forEachTable(Tables &objects, Visit &&visit) {
  visit(NXS_ObjectType_Device, "device", objects.devices);
  visit(NXS_ObjectType_Buffer, "buffer", objects.buffers);
  visit(NXS_ObjectType_Library, "library", objects.libraries);
  visit(NXS_ObjectType_Kernel, "kernel", objects.kernels);
  visit(NXS_ObjectType_Stream, "stream", objects.streams);
  visit(NXS_ObjectType_Event, "event", objects.events);
  visit(NXS_ObjectType_Schedule, "schedule", objects.schedules);
  visit(NXS_ObjectType_Command, "command", objects.commands);
}

struct Amount {
  uint64_t count = 0;
  uint64_t bytes = 0;
  nxs_id first = 0;
};

std::string leakText(const std::string &place, const char *type, const std::string &name,
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

bool Objects::lives(nxs_id id) const {
  bool lives = NXS_ID_TYPE(id) == NXS_ObjectType_Runtime;  // only its type and tag are known
  forEachTable(*this, [&](nxs_object_type type, const char *, const auto &table) {
    lives = lives || (type == NXS_ID_TYPE(id) && table.has(id));
  });
  return lives;
}

nxs_id Objects::deviceOf(nxs_id id) const {
  nxs_id device = 0;
  forEachTable(*this, [&](nxs_object_type, const char *, const auto &table) {
    if (const auto facts = table.find(id)) device = facts->device;
  });
  return device;
}

void Objects::remove(nxs_id id) {
  forEachTable(*this, [&](nxs_object_type, const char *, auto &table) { table.remove(id); });
}

Locked::Locked() : objects_(ofProcess<Objects>()), lock_(objects_.mutex) {}

std::vector<Leak> leaks() {
  // By tag, place, type and name.
  std::map<std::tuple<uint32_t, std::string, std::string, std::string>, Amount> found;
  {
    const Locked objects;
    forEachTable(*objects, [&](nxs_object_type number, const char *type, const auto &table) {
      // Devices are never released, and commands belong to their schedules.
      if (number == NXS_ObjectType_Device || number == NXS_ObjectType_Command) return;
      for (const auto &[id, facts] : table.all()) {
        if (facts->of_core) continue;
        Amount &amount = found[{NXS_ID_TAG(id), placeText(facts->place), type, facts->name}];
        ++amount.count;
        amount.bytes += facts->size;
        amount.first = id;
      }
    });
  }
  std::vector<Leak> all;
  for (const auto &[key, amount] : found) {
    const auto &[tag, place, type, name] = key;
    all.push_back({tag, leakText(place, type.c_str(), name, amount)});
  }
  return all;
}

}  // namespace nexus::core::layers::validation
