// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_properties.hpp"

#include <utility>

#include "device/device_merge.hpp"
#include "device_db/device_absent.hpp"
#include "host/property_name.hpp"

namespace nexus::core {
namespace {

json::Value fileOf(const DeviceParts &parts) {
  if (parts.file == nullptr) {
    return json::Value(json::Value::Object{});
  }
  return parts.variant.empty() ? parts.file->tree : withVariant(parts.file->tree, parts.variant);
}

// Returns the path of a value in tree by names. Ends at a list of values without a Name, which have
// one source.
TreePath pathOf(const json::Value &tree, const PropertyPath &path, std::size_t first) {
  TreePath names;
  const json::Value *at = &tree;
  for (std::size_t i = first; i < path.steps().size(); ++i) {
    const PropertyPath::Step &step = path.steps()[i];
    if (const json::Value::Array *list = at->array()) {
      if (!isNamedList(*at)) {
        break;
      }
      const json::Value *entry = step.isNumber() ? &(*list)[static_cast<std::size_t>(step.number)]
                                                 : entryOf(*list, step.name);
      if (entryOf(*list, nameOfEntry(*entry)) != entry) {
        break;  // a path by names leads to the first of a Name only
      }
      at = entry;
      names.push_back(nameOfEntry(*at));
    } else {
      names.push_back(keyOf(step));
      at = at->find(names.back());
    }
  }
  return names;
}

}  // namespace

DeviceProperties::DeviceProperties(DeviceParts parts)
    : tree_(fileOf(parts)), parts_(std::move(parts)) {
  removeAbsent(tree_, parts_.driver);
  layOver(tree_, parts_.driver);
  for (json::Value *tree : {&tree_, &parts_.driver}) {
    if (json::Value *memories = tree->find("MemorySubsystem")) orderMemories(*memories);
  }
  parts_.computed = addComputed(tree_);
  if (parts_.driver.object()->empty()) {
    if (auto size = addSizeOfL2(tree_)) parts_.computed.push_back(*std::move(size));
  }
}

std::optional<json::Value> DeviceProperties::property(std::string_view name, nxs_property) {
  const json::Value *value = heldProperty(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<std::string> DeviceProperties::propertyKeys() {
  std::vector<std::string> names;
  for (const json::Member &member : *tree_.object()) {
    if (!member.value.isNull()) names.push_back(member.name);
  }
  return names;
}

json::Value DeviceProperties::sourceAt(const PropertyPath &path, std::size_t first) {
  return sourceOf(parts_, tree_, pathOf(tree_, path, first));
}

}  // namespace nexus::core
