// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/objects.hpp"

#include <map>

#include "base/process.hpp"
#include "layers/validate/leaks.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

thread_local int own_objects = 0;

// Calls visit with each table but the devices', and the type in words.
template <typename Visit>
void forEachTable(const Objects &objects, Visit &&visit) {
  visit("buffer", objects.buffers);
  visit("library", objects.libraries);
  visit("kernel", objects.kernels);
  visit("stream", objects.streams);
  visit("event", objects.events);
  visit("schedule", objects.schedules);
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
  std::string text = amount.count == 1 ? words("the ", kind.type, " ", idText(amount.first))
                                       : words(amount.count, " objects of the type ", kind.type);
  if (!kind.name.empty()) text += words(" '", kind.name, "'");
  if (amount.bytes != 0) text += words(", ", amount.bytes, " bytes,");
  text += amount.count == 1 ? " was not released" : " were not released";
  return text + (kind.place.empty() ? std::string() : words("; made at ", kind.place));
}

}  // namespace

bool Objects::lives(nxs_id id) const {
  switch (NXS_ID_TYPE(id)) {
    case NXS_ObjectType_Runtime:
      return true;  // its type and its tag are all that there is to know
    case NXS_ObjectType_Device:
      return devices.has(id);
    case NXS_ObjectType_Buffer:
      return buffers.has(id);
    case NXS_ObjectType_Library:
      return libraries.has(id);
    case NXS_ObjectType_Kernel:
      return kernels.has(id);
    case NXS_ObjectType_Stream:
      return streams.has(id);
    case NXS_ObjectType_Event:
      return events.has(id);
    case NXS_ObjectType_Schedule:
      return schedules.has(id);
    case NXS_ObjectType_Command:
      return commands.has(id);
    default:
      return false;
  }
}

nxs_id Objects::deviceOf(nxs_id id) const {
  nxs_id device = NXS_ID_TYPE(id) == NXS_ObjectType_Device ? id : 0;
  forEachTable(*this, [&](const char *, const auto &table) {
    if (const auto facts = table.find(id)) device = facts->device;
  });
  return device;
}

Locked::Locked() : objects_(ofProcess<Objects>()), lock_(objects_.mutex) {}

std::vector<Leak> leaks() {
  std::map<Kind, Amount> found;
  {
    const Locked objects;
    forEachTable(*objects, [&](const char *type, const auto &table) {
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
