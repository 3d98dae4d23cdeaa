// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_absent.hpp"

#include <string_view>

#include "device/device_merge.hpp"

namespace nexus::core {
namespace {

void eraseMember(json::Value &object, std::string_view name) {
  std::erase_if(*object.object(), [&](const json::Member &member) { return member.name == name; });
}

bool isMatrixRate(const json::Value &rate) {
  const json::Value *unit = rate.find("Unit");
  return unit != nullptr && unit->isString() && unit->string()->ends_with("matrix");
}

bool hasNoRate(const json::Value &rate) {
  return rate.find("Rate") == nullptr && rate.find("OperationsPerClock") == nullptr;
}

void removeMatrixUnits(json::Value &tree) {
  json::Value *special = tree.find("SpecializedHardware");
  if (special != nullptr && special->isObject()) {
    eraseMember(*special, "Matrix");
    if (special->object()->empty()) eraseMember(tree, "SpecializedHardware");
  }
  json::Value *rates = tree.find("PeakRates");
  if (rates != nullptr && isNamedList(*rates)) {
    std::erase_if(*rates->array(), isMatrixRate);
  }
}

void removeDeviceRates(json::Value &tree) {
  json::Value *rates = tree.find("PeakRates");
  if (rates == nullptr || !isNamedList(*rates)) {
    return;
  }
  for (json::Value &rate : *rates->array()) {
    eraseMember(rate, "Rate");
  }
  std::erase_if(*rates->array(), hasNoRate);
}

bool hasOtherCores(const json::Value &tree, const json::Value &driver) {
  const json::Value *in_file = valueAt(tree, {"CoreSubsystem", "Count"});
  const json::Value *count = driver.find("CoreCount");
  return in_file != nullptr && count != nullptr && in_file->isInt() && count->isInt() &&
         *in_file->integer() != *count->integer();
}

}  // namespace

void removeAbsent(json::Value &tree, const json::Value &driver) {
  if (driver.find("VectorExtensions") != nullptr && driver.find("MatrixExtensions") == nullptr) {
    removeMatrixUnits(tree);
  }
  if (hasOtherCores(tree, driver)) {
    removeDeviceRates(tree);
  }
  const json::Value *rates = tree.find("PeakRates");
  if (rates != nullptr && rates->isArray() && rates->array()->empty()) {
    eraseMember(tree, "PeakRates");
  }
}

}  // namespace nexus::core
