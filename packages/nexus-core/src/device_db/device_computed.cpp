// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_computed.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "device/device_merge.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

using Result = std::optional<json::Value>;
using Values = std::vector<const json::Value *>;  // all exist
using Compute = Result (*)(const Values &);

struct Rule {
  const char *path;
  std::vector<const char *> from;
  Compute compute;
};

// Returns NaN for a value that is not a number.
double numberOf(const json::Value &value) {
  if (const int64_t *whole = value.integer()) return static_cast<double>(*whole);
  const double *real = value.real();
  return real == nullptr ? std::numeric_limits<double>::quiet_NaN() : *real;
}

Result whole(double number) {
  constexpr double kMost = 9.0e18;  // below the largest int64_t
  if (!(std::fabs(number) < kMost)) return std::nullopt;
  return json::Value(static_cast<int64_t>(std::llround(number)));
}

Result asInt(const Values &from) {
  return from[0]->isInt() ? Result(*from[0]) : std::nullopt;
}

Result asNumber(const Values &from) {
  return std::isnan(numberOf(*from[0])) ? std::nullopt : Result(*from[0]);
}

Result asText(const Values &from) {
  return from[0]->isString() ? Result(*from[0]) : std::nullopt;
}

Result rounded(const Values &from) {
  return whole(numberOf(*from[0]));
}

// Computes bytes per second from a bus width in bits and a rate in MT/s.
Result bandwidth(const Values &from) {
  return whole(numberOf(*from[0]) / 8 * numberOf(*from[1]) * 1e6);
}

// Returns the names of the entries with at least that many members.
template <std::size_t kMembers>
Result names(const Values &from) {
  if (!isNamedList(*from[0])) return std::nullopt;
  json::Value::Array names;
  for (const json::Value &entry : *from[0]->array()) {
    if (entry.object()->size() >= kMembers) names.emplace_back(nameOfEntry(entry));
  }
  return json::Value(std::move(names));
}

Result joined(const Values &from) {
  if (!areTexts(from[0])) return std::nullopt;
  std::string all;
  for (const json::Value &text : *from[0]->array()) {
    all += (all.empty() ? "" : ",") + *text.string();
  }
  return json::Value(std::move(all));
}

#define MEMORY "MemorySubsystem/MemoryTypes/"

// Of several rules for a key, the first with a result counts.
const std::vector<Rule> &rules() {
  static const auto &all = *new std::vector<Rule>{
      {"SubUnitType", {"CoreSubsystem/SubUnitType"}, asText},
      {"SubUnits", {"CoreSubsystem/Units"}, names<1>},
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
      {"MemorySubsystem/SupportedMemoryTypes", {"MemorySubsystem/MemoryTypes"}, names<2>},
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
  Values values;
  for (const char *path : rule.from) {
    const json::Value *value = valueAt(tree, splitPath(path));
    if (value == nullptr) return std::nullopt;
    values.push_back(value);
  }
  return rule.compute(values);
}

// The parent of the value must exist.
void setAt(json::Value &tree, TreePath path, json::Value value) {
  const std::string key = std::move(path.back());
  path.pop_back();
  const_cast<json::Value *>(valueAt(tree, path))->set(key, std::move(value));
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

void addSizeOfL2(json::Value &tree, std::vector<ComputedValue> &computed) {
  const TreePath memory{"MemorySubsystem", "MemoryTypes", "L2"};
  const TreePath path{"MemorySubsystem", "MemoryTypes", "L2", "Size"};
  if (valueAt(tree, memory) == nullptr || valueAt(tree, path) != nullptr) {
    return;
  }
  ComputedValue made{joinedPath(path), {}};
  std::optional<int64_t> common;
  for (const json::Value &variant : variantsOf(tree)) {
    const json::Value *size = valueAt(variant, path);
    if (size == nullptr) continue;
    if (!size->isInt() || (common && *common != *size->integer())) return;
    common = *size->integer();
    made.from.push_back("Variants/" + nameOfEntry(variant) + "/" + made.path);
  }
  if (common) {
    setAt(tree, path, *common);
    computed.push_back(std::move(made));
  }
}

}  // namespace nexus::core
