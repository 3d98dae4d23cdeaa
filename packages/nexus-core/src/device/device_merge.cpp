// SPDX-License-Identifier: Apache-2.0
#include "device/device_merge.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "object/property.hpp"

namespace nexus::core {
namespace {

// The first two have a fixed index on every device, since programs read the size of L2 by its
// index.
constexpr std::array<std::string_view, 7> kFirstMemories = {"Global", "L2", "L1",       "Local",
                                                            "L3",     "L4", "Registers"};
constexpr std::size_t kFixedMemories = 2;

void mergeEntries(json::Value::Array &base, const json::Value::Array &over) {
  std::unordered_map<std::string, std::size_t> places;  // the first of each Name
  for (std::size_t i = 0; i < base.size(); ++i) places.emplace(nameOfEntry(base[i]), i);
  for (const json::Value &entry : over) {
    const auto [found, fresh] = places.try_emplace(nameOfEntry(entry), base.size());
    if (fresh) {
      base.push_back(entry);
    } else {
      layOver(base[found->second], entry);
    }
  }
}

// Returns the sort key of a memory by its Name: unlisted names follow in alphabetical order.
std::pair<std::ptrdiff_t, std::string_view> rankOf(const std::string &name) {
  const auto *found = std::find(kFirstMemories.begin(), kFirstMemories.end(), name);
  return {found - kFirstMemories.begin(), name};
}

}  // namespace

bool isNamedList(const json::Value &value) {
  const json::Value::Array *list = value.array();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(),
                     [](const json::Value &entry) { return entry.text("Name") != nullptr; });
}

bool areTexts(const json::Value *value) {
  return value != nullptr && value->isArray() &&
         std::all_of(value->array()->begin(), value->array()->end(),
                     [](const json::Value &one) { return one.isString(); });
}

const std::string &nameOfEntry(const json::Value &entry) {
  return *entry.text("Name");
}

void layOver(json::Value &base, const json::Value &over) {
  json::Value::Object &members = *base.object();
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].name, i);
  for (const json::Member &member : *over.object()) {
    if (member.value.isNull()) continue;
    const auto [found, fresh] = places.try_emplace(member.name, members.size());
    if (fresh) {
      members.push_back(member);
      continue;
    }
    json::Value &below = members[found->second].value;
    if (below.isObject() && member.value.isObject()) {
      layOver(below, member.value);
    } else if (isNamedList(below) && isNamedList(member.value)) {
      mergeEntries(*below.array(), *member.value.array());
    } else {
      below = member.value;
    }
  }
}

void orderMemories(json::Value &subsystem) {
  if (json::Value *list = subsystem.find("MemoryTypes"); list != nullptr && isNamedList(*list)) {
    json::Value::Array &memories = *list->array();
    for (std::size_t i = 0; i < kFixedMemories; ++i) {
      if (entryOf(memories, kFirstMemories[i]) == nullptr) {
        json::Value unknown{json::Value::Object{}};
        unknown.set("Name", std::string(kFirstMemories[i]));
        memories.push_back(std::move(unknown));
      }
    }
    std::stable_sort(memories.begin(), memories.end(), [](const auto &left, const auto &right) {
      return rankOf(nameOfEntry(left)) < rankOf(nameOfEntry(right));
    });
  }
  if (json::Value *names = subsystem.find("SupportedMemoryTypes"); areTexts(names)) {
    std::stable_sort(names->array()->begin(), names->array()->end(),
                     [](const json::Value &left, const json::Value &right) {
                       return rankOf(*left.string()) < rankOf(*right.string());
                     });
  }
}

std::string joinedPath(const TreePath &path) {
  std::string joined;
  for (const std::string &key : path) {
    joined += (joined.empty() ? "" : "/") + key;
  }
  return joined;
}

TreePath splitPath(std::string_view joined) {
  TreePath path;
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find('/'), joined.size());
    path.emplace_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return path;
}

const json::Value *valueAt(const json::Value &tree, const TreePath &path) {
  const json::Value *at = &tree;
  for (const std::string &key : path) {
    at = isNamedList(*at) ? entryOf(*at->array(), key) : at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at->isNull() ? nullptr : at;
}

const json::Value::Array &variantsOf(const json::Value &tree) {
  static const json::Value::Array kNone;
  const json::Value *variants = tree.find("Variants");
  return variants == nullptr || !isNamedList(*variants) ? kNone : *variants->array();
}

const json::Value *findVariant(const json::Value &tree, std::string_view variant) {
  return entryOf(variantsOf(tree), variant);
}

json::Value withVariant(const json::Value &tree, std::string_view variant) {
  json::Value made{json::Value::Object{}};
  for (const json::Member &member : *tree.object()) {
    if (member.name != "Variants") made.object()->push_back(member);
  }
  const json::Value *found = findVariant(tree, variant);
  if (found == nullptr) return made;
  for (const char *own : {"Aliases", "DeviceNames", "ReleaseYear"}) {
    if (found->find(own) == nullptr) {
      made.erase(own);
    }
  }
  layOver(made, *found);
  // after layOver(), since a variant may have a member of that name too
  made.erase("Variants");
  return made;
}

}  // namespace nexus::core
