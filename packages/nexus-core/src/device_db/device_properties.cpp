// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_properties.hpp"

#include <utility>

#include "device/device_merge.hpp"
#include "host/property_name.hpp"

namespace nexus::core {
namespace {

json::Value fileOf(const DeviceParts &parts) {
  if (parts.file == nullptr) {
    return json::Value(json::Value::Object{});
  }
  return parts.variant.empty() ? parts.file->tree : withVariant(parts.file->tree, parts.variant);
}

bool isMatrixRate(const json::Value &rate) {
  const std::string *unit = rate.text("Unit");
  return unit != nullptr && unit->ends_with("matrix");
}

// Removes from a device file's tree what the device itself lacks: the matrix units and their rates,
// if it reports its instruction sets and no matrix extension, as in a virtual machine that hides
// them; and rates of the whole device, if it has another number of cores.
void removeAbsent(json::Value &tree, const json::Value &driver) {
  const bool no_matrix =
      driver.find("VectorExtensions") != nullptr && driver.find("MatrixExtensions") == nullptr;
  const json::Value *in_file = valueAt(tree, {"CoreSubsystem", "Count"});
  const json::Value *count = driver.find("CoreCount");
  const bool other_cores = in_file != nullptr && count != nullptr && in_file->isInt() &&
                           count->isInt() && *in_file->integer() != *count->integer();
  json::Value *special = tree.find("SpecializedHardware");
  if (no_matrix && special != nullptr && special->isObject()) {
    special->erase("Matrix");
    if (special->object()->empty()) tree.erase("SpecializedHardware");
  }
  json::Value *rates = tree.find("PeakRates");
  if (rates != nullptr && isNamedList(*rates)) {
    std::erase_if(*rates->array(), [&](json::Value &rate) {
      if (other_cores) rate.erase("Rate");
      return (no_matrix && isMatrixRate(rate)) || (other_cores && rate.find("Rate") == nullptr &&
                                                   rate.find("OperationsPerClock") == nullptr);
    });
  }
  if (rates != nullptr && rates->isArray() && rates->array()->empty()) tree.erase("PeakRates");
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

DeviceProperties::DeviceProperties(std::shared_ptr<const DeviceFile> file, std::string variant,
                                   json::Value driver)
    : parts_{std::move(driver), std::move(file), std::move(variant), {}}, tree_(fileOf(parts_)) {
  removeAbsent(tree_, parts_.driver);
  layOver(tree_, parts_.driver);
  if (json::Value *memories = tree_.find("MemorySubsystem")) orderMemories(*memories);
  parts_.computed = addComputed(tree_);
  if (parts_.driver.object()->empty()) addSizeOfL2(tree_, parts_.computed);
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
