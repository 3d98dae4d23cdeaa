// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/objects.hpp"

#include <map>

#include "base/process.hpp"
#include "layers/validate/call.hpp"
#include "layers/validate/leaks.hpp"

namespace nexus::core::layers::validation {
namespace {

thread_local int own_objects = 0;

// Calls visit with each table, and with the type of its objects as a number and in words.
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

// Objects of one kind and name that were made at one place.
struct Kind {
  uint32_t tag;
  std::string type;
  std::string name;
  std::string place;

  friend bool operator<(const Kind &one, const Kind &other) {
    return std::tie(one.tag, one.place, one.type, one.name) <
           std::tie(other.tag, other.place, other.type, other.name);
  }
};

struct Amount {
  uint64_t count = 0;
  uint64_t bytes = 0;
  nxs_id first = 0;
};

std::string leakText(const Kind &kind, const Amount &amount) {
  std::string text = amount.count == 1 ? join("the ", kind.type, " ", idText(amount.first))
                                       : join(amount.count, " objects of the type ", kind.type);
  if (!kind.name.empty()) text += join(" '", kind.name, "'");
  if (amount.bytes != 0) text += join(", ", amount.bytes, " bytes,");
  text += amount.count == 1 ? " was not released" : " were not released";
  return text + (kind.place.empty() ? std::string() : join("; made at ", kind.place));
}

}  // namespace

bool Objects::lives(nxs_id id) const {
  bool lives = NXS_ID_TYPE(id) == NXS_ObjectType_Runtime;  // its type and tag are all there is
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
  std::map<Kind, Amount> found;
  {
    const Locked objects;
    forEachTable(*objects, [&](nxs_object_type number, const char *type, const auto &table) {
      // Devices are never released, and commands belong to their schedules.
      if (number == NXS_ObjectType_Device || number == NXS_ObjectType_Command) return;
      for (const auto &[id, facts] : table.all()) {
        if (facts->of_core) continue;
        Amount &amount = found[{NXS_ID_TAG(id), type, facts->name, placeText(facts->place)}];
        ++amount.count;
        amount.bytes += facts->size;
        amount.first = id;
      }
    });
  }
  std::vector<Leak> told;
  for (const auto &[kind, amount] : found) told.push_back({kind.tag, leakText(kind, amount)});
  return told;
}

OwnObjects::OwnObjects() noexcept {
  ++own_objects;
}

OwnObjects::~OwnObjects() {
  --own_objects;
}

bool OwnObjects::present() noexcept {
  return own_objects != 0;
}

}  // namespace nexus::core::layers::validation
