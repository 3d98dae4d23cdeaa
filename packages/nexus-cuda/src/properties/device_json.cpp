// SPDX-License-Identifier: Apache-2.0
#include "properties/device_json.hpp"

#include "properties/device_attributes.hpp"
#include "properties/device_identity.hpp"
#include "properties/sensors.hpp"

#include <cstdio>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/property_table.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::json_array;
using nexus_plugin::json_list;
using nexus_plugin::JsonObject;

// A number that is known, 0 too.
template <class Number>
void add(JsonObject &out, std::string_view key, const std::optional<Number> &number) {
  if (number) out.add_json(key, std::to_string(*number));
}

// A known one that may have a fraction: "123.4".
void add(JsonObject &out, std::string_view key, const std::optional<double> &number) {
  if (!number) return;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", *number);
  std::string decimal = text;
  for (char &letter : decimal) letter = letter == ',' ? '.' : letter;  // as some locales write it
  out.add_json(key, decimal);
}

void add(JsonObject &out, const Device &device, std::string_view key, nxs_property property) {
  add(out, key, read_attribute(device, property));
}

// The memories in the order of device files, with their names beside them.
struct Memories {
  std::vector<std::string> entries, names;

  void add(const char *name, const JsonObject &entry) {
    entries.push_back(entry.done());
    names.emplace_back(name);
  }
};

void add_level_2(Memories &out, const Device &device) {
  const auto size = device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).value_or(0);
  if (size <= 0) return;
  JsonObject entry;
  entry.add("Name", "L2").add("Kind", "cache").add("Size", static_cast<uint64_t>(size));
  out.add("L2", entry.add("SharedBy", "Device"));
}

void add_global(Memories &out, const Device &device) {
  JsonObject entry;
  entry.add("Name", "Global").add("Kind", "memory").add("Size", device.memory_size());
  add(entry, device, "BusWidth", NP_MemoryBusWidth);
  add(entry, device, "ClockRate", NP_MemoryClockRate);
  add(entry, device, "ECC", NP_ECC);
  out.add("Global", entry);
}

void add_of_core(Memories &out, const Device &device, const char *name, const char *kind,
                 nxs_property size) {
  if (!read_attribute(device, size)) return;
  JsonObject entry;
  entry.add("Name", name).add("Kind", kind);
  add(entry, device, "Size", size);
  out.add(name, entry.add("SharedBy", "SM"));
}

template <class Sizes>
std::string sizes_json(const Sizes &sizes) {
  return json_list(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

}  // namespace

std::string core_json(const Device &device) {
  JsonObject out;
  out.add("SubUnitType", "SM");
  add(out, device, "Count", NP_Count);
  add(out, device, "SIMDSize", NP_SIMDSize);
  add(out, device, "MaxClock", NP_CoreClockRate);
  return out.done();
}

std::string memory_json(const Device &device) {
  Memories memories;
  add_level_2(memories, device);
  add_global(memories, device);
  add_of_core(memories, device, "Local", "scratchpad", NP_CoreMemorySize);
  add_of_core(memories, device, "Registers", "registers", NP_CoreRegisterSize);
  JsonObject out;
  add(out, device, "UnifiedMemory", NP_UnifiedMemory);
  return out.add_json("MemoryTypes", json_array(memories.entries))
      .add_json("SupportedMemoryTypes", json_list(memories.names))
      .done();
}

// CUDA 12.1 raised it for Volta and later.
int max_argument_size(const Device &device) {
  constexpr int kBefore = 4096, kSince = 32764, kRaisedIn = 12010, kVolta = 70;
  return driver_version() >= kRaisedIn && device.compute_capability() >= kVolta ? kSince : kBefore;
}

std::optional<int64_t> max_subgroups_per_core(const Device &device) {
  const auto threads = read_attribute(device, NP_MaxThreadsPerCore);
  const auto warp = read_attribute(device, NP_SIMDSize);
  return threads && warp ? std::optional(*threads / *warp) : std::nullopt;
}

std::string limits_json(const Device &device) {
  JsonObject out;
  for (const AttributeProperty &entry : kAttributeProperties) {
    if (entry.place != Place::kLimits) continue;
    add(out, nexus_plugin::property_name(entry.property), read_attribute(device, entry));
  }
  add(out, "MaxSubgroupsPerCore", max_subgroups_per_core(device));
  return out.add_json("MaxGroupSize", sizes_json(device.max_group_size()))
      .add_json("MaxGridSize", sizes_json(device.max_group_count()))
      .add("MaxArguments", nexus_plugin::kMaxArguments)
      .add("MaxArgumentSize", static_cast<uint64_t>(max_argument_size(device)))
      .add("MaxBufferSize", device.memory_size())
      .done();
}

std::string kernel_model_json(const Device &device) {
  return JsonObject()
      .add("LLVMTarget", "nvptx64")
      .add("Triple", "nvptx64-nvidia-cuda")
      .add("Processor", device.architecture())
      .done();
}

std::string pci_express_json(const Device &device) {
  const Sensors &sensors = sensors_of(device);
  const auto generation = sensors.max_link_generation(), lanes = sensors.max_link_width();
  if (!generation && !lanes) return {};
  JsonObject out;
  add(out, "Generation", generation);
  add(out, "Lanes", lanes);
  return out.done();
}

std::string power_json(const Device &device) {
  const Sensors &sensors = sensors_of(device);
  const auto least = sensors.min_power(), most = sensors.max_power();
  const auto hottest = sensors.max_temperature();
  if (!least && !most && !hottest) return {};
  JsonObject out;
  add(out, "MinPower", least);
  add(out, "MaxPower", most);
  add(out, "MaxTemperature", hottest);
  return out.done();
}

std::string extensions_json(const Device &device) {
  JsonObject out;
  out.add_json("Ordinal", std::to_string(device.ordinal()));
  out.add_json("DriverVersion", std::to_string(driver_version()));
  out.add_json("Attributes", other_attributes_json(device));
  return JsonObject().add_json("CUDA", out.done()).done();
}

}  // namespace nexus_cuda
