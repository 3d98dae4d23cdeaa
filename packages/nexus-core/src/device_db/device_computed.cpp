// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_computed.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "device/device_merge.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

using Result = std::optional<json::Value>;
/// Computes a value from the values at given paths, which all exist.
using Compute = Result (*)(const std::vector<const json::Value *> &);

struct Rule {
  const char *path;
  std::vector<const char *> from;
  Compute compute;
};

std::optional<double> numberOf(const json::Value &value) {
  if (const int64_t *whole = value.integer()) return static_cast<double>(*whole);
  if (const double *real = value.real()) return *real;
  return std::nullopt;
}

Result whole(double number) {
  constexpr double kMost = 9.0e18;  // below the largest int64_t
  if (!(std::fabs(number) < kMost)) return std::nullopt;
  return json::Value(static_cast<int64_t>(std::llround(number)));
}

Result asInt(const std::vector<const json::Value *> &from) {
  return from[0]->isInt() ? Result(*from[0]) : std::nullopt;
}

Result asNumber(const std::vector<const json::Value *> &from) {
  const auto number = numberOf(*from[0]);
  return number ? Result(*from[0]) : std::nullopt;
}

Result asText(const std::vector<const json::Value *> &from) {
  return from[0]->isString() ? Result(*from[0]) : std::nullopt;
}

Result rounded(const std::vector<const json::Value *> &from) {
  const auto number = numberOf(*from[0]);
  return number ? whole(*number) : std::nullopt;
}

// Computes bytes per second from a bus width in bits and a rate in MT/s.
Result bandwidth(const std::vector<const json::Value *> &from) {
  const auto width = numberOf(*from[0]);
  const auto rate = numberOf(*from[1]);
  return width && rate ? whole(*width / 8 * *rate * 1e6) : std::nullopt;
}

Result namesOf(const std::vector<const json::Value *> &from) {
  if (!isNamedList(*from[0])) return std::nullopt;
  json::Value::Array names;
  for (const json::Value &entry : *from[0]->array()) names.emplace_back(nameOfEntry(entry));
  return json::Value(std::move(names));
}

// Returns the memories with more than a Name.
Result memoriesOf(const std::vector<const json::Value *> &from) {
  if (!isNamedList(*from[0])) return std::nullopt;
  json::Value::Array names;
  for (const json::Value &memory : *from[0]->array()) {
    if (memory.object()->size() > 1) names.emplace_back(nameOfEntry(memory));
  }
  return json::Value(std::move(names));
}

Result joined(const std::vector<const json::Value *> &from) {
  const json::Value::Array *texts = from[0]->array();
  if (texts == nullptr) return std::nullopt;
  std::string all;
  for (const json::Value &text : *texts) {
    if (!text.isString()) return std::nullopt;
    all += (all.empty() ? "" : ",") + *text.string();
  }
  return json::Value(std::move(all));
}

constexpr const char *kL2 = "MemorySubsystem/MemoryTypes/L2";

#define MEMORY "MemorySubsystem/MemoryTypes/"

// Of several rules for a key, the first with a result counts.
const std::vector<Rule> &rules() {
  static const auto &all = *new std::vector<Rule>{
      {"SubUnitType", {"CoreSubsystem/SubUnitType"}, asText},
      {"SubUnits", {"CoreSubsystem/Units"}, namesOf},
      {"CoreCount", {"CoreSubsystem/Count"}, asInt},
      {"Count", {"CoreSubsystem/Count"}, asInt},
      {"ThreadCount", {"CoreSubsystem/ThreadCount"}, asInt},
      {"ThreadsPerCore", {"CoreSubsystem/ThreadsPerCore"}, asInt},
      {"SIMDSize", {"CoreSubsystem/SIMDSize"}, asInt},
      {"BaseClock", {"CoreSubsystem/BaseClock"}, rounded},
      {"CoreClockRate", {"CoreSubsystem/MaxClock"}, rounded},
      {"UnifiedMemory", {"MemorySubsystem/UnifiedMemory"}, asInt},
      {"GlobalMemorySize", {MEMORY "Global/Size"}, asInt},
      {"GlobalMemorySize", {MEMORY "Global/TotalSize"}, asInt},
      {"MemoryBusWidth", {MEMORY "Global/BusWidth"}, asInt},
      {"MemoryClockRate", {MEMORY "Global/ClockRate"}, rounded},
      {"MemoryBandwidth", {MEMORY "Global/Bandwidth"}, asInt},
      {"MemoryBandwidth", {MEMORY "Global/BusWidth", MEMORY "Global/TransferRate"}, bandwidth},
      {"CacheLineSize", {MEMORY "L1/LineSize"}, asInt},
      {"CacheLineSize", {MEMORY "L2/LineSize"}, asInt},
      {"CoreMemorySize", {MEMORY "Local/Size"}, asInt},
      {"CoreMemorySize", {MEMORY "Local/MaxSize"}, asInt},
      {"CoreRegisterSize", {MEMORY "Registers/Size"}, asInt},
      {"MemorySubsystem/SupportedMemoryTypes", {"MemorySubsystem/MemoryTypes"}, memoriesOf},
      {"MaxThreadsPerBlock", {"Limits/MaxThreadsPerBlock"}, asInt},
      {"MaxThreadsPerThreadgroup", {"Limits/MaxThreadsPerBlock"}, asInt},
      {"MaxThreadgroupsPerCore", {"Limits/MaxThreadgroupsPerCore"}, asInt},
      {"MaxThreadgroupMemorySize", {"Limits/MaxThreadgroupMemorySize"}, asInt},
      {"MaxBufferSize", {"Limits/MaxBufferSize"}, asInt},
      {"MaxArguments", {"Limits/MaxArguments"}, asInt},
      {"MaxPower", {"Power/MaxPower"}, asNumber},
      {"Features", {"KernelModel/Features"}, joined},
  };
  return all;
}

#undef MEMORY

Result resultOf(const Rule &rule, const json::Value &tree) {
  std::vector<const json::Value *> values;
  for (const char *path : rule.from) {
    const json::Value *value = valueAt(tree, splitPath(path));
    if (value == nullptr) return std::nullopt;
    values.push_back(value);
  }
  return rule.compute(values);
}

// The parent of the value must exist.
void setAt(json::Value &tree, const TreePath &path, json::Value value) {
  json::Value *at = &tree;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (isNamedList(*at)) {
      json::Value::Array &list = *at->array();
      at = list.data() + (entryOf(list, path[i]) - list.data());
    } else {
      at = at->find(path[i]);
    }
  }
  at->set(path.back(), std::move(value));
}

}  // namespace

std::vector<ComputedValue> addComputed(json::Value &tree) {
  std::vector<ComputedValue> computed;
  for (const Rule &rule : rules()) {
    const TreePath path = splitPath(rule.path);
    if (valueAt(tree, path) != nullptr) {
      continue;
    }
    if (Result result = resultOf(rule, tree)) {
      setAt(tree, path, *std::move(result));
      computed.push_back({rule.path, {rule.from.begin(), rule.from.end()}});
    }
  }
  return computed;
}

std::optional<ComputedValue> addSizeOfL2(json::Value &tree) {
  const json::Value *variants = tree.find("Variants");
  const json::Value *memory = valueAt(tree, splitPath(kL2));
  if (variants == nullptr || !isNamedList(*variants) || memory == nullptr ||
      memory->find("Size") != nullptr) {
    return std::nullopt;
  }
  ComputedValue computed{std::string(kL2) + "/Size", {}};
  const json::Value *common = nullptr;
  for (const json::Value &variant : *variants->array()) {
    const json::Value *size = valueAt(variant, splitPath(computed.path));
    if (size == nullptr) continue;
    if (!size->isInt() || (common != nullptr && *common->integer() != *size->integer())) {
      return std::nullopt;
    }
    common = size;
    computed.from.push_back("Variants/" + nameOfEntry(variant) + "/" + computed.path);
  }
  if (common == nullptr) return std::nullopt;
  const json::Value size = *common;
  setAt(tree, splitPath(computed.path), size);
  return computed;
}

}  // namespace nexus::core
