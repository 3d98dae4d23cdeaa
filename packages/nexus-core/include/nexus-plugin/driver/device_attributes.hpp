// SPDX-License-Identifier: Apache-2.0
// Properties of a device that are numbered attributes of its driver, each an int:
//
//   constexpr AttributeProperty kAttributes[] = {{NP_SIMDSize, 10}, {NP_ECC, 32, yes_or_no}};
//   using Attributes = DeviceAttributes<Device, kAttributes>;
//   constexpr auto device_properties = Attributes::joined_to(other_properties);
//
// Device is derived from gpu::DeviceBase, and has architecture(), memory_size(), and limits as of a
// launch: max_group_size() and max_group_count(). pci_address_of(device) returns its PCI address,
// empty if it is not known.
#ifndef NEXUS_PLUGIN_DEVICE_ATTRIBUTES_HPP_
#define NEXUS_PLUGIN_DEVICE_ATTRIBUTES_HPP_

#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// Convert an attribute's value to the property's. They return nothing for "not known".

inline std::optional<int64_t> positive(int told) {
  return told > 0 ? std::optional<int64_t>(told) : std::nullopt;
}
inline std::optional<int64_t> positive_or_zero(int told) {
  return told >= 0 ? std::optional<int64_t>(told) : std::nullopt;
}
inline std::optional<int64_t> yes_or_no(int told) {
  return told != 0 ? 1 : 0;
}
inline std::optional<int64_t> to_megahertz(int kilohertz) {
  return positive(kilohertz / 1000);
}
// Of registers of 32 bits.
inline std::optional<int64_t> to_bytes(int registers) {
  return registers > 0 ? std::optional(int64_t{registers} * 4) : std::nullopt;
}

// A property that is one attribute of the driver.
struct AttributeProperty {
  nxs_property property;
  int attribute;
  std::optional<int64_t> (*converted)(int told) = positive;
  bool is_limit = false;  // is in NP_Limits too
};

// Adds a number if it is known.
template <class Number>
void add_known(JsonObject &out, std::string_view key, const std::optional<Number> &number) {
  if (number) out.add_json(key, std::to_string(*number));
}
inline void add_known(JsonObject &out, std::string_view key, const std::optional<double> &number) {
  if (!number) return;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", *number);
  std::string decimal = text;
  for (char &letter : decimal) letter = letter == ',' ? '.' : letter;  // some locales write ','
  out.add_json(key, decimal);
}

// Reads a property that a function writes as JSON, and that is not known if the text is empty:
// {NP_Limits, json<limits_json>}.
template <auto Write, class T>
Value json(const T &object) {
  std::string text = Write(object);
  return text.empty() ? Value() : Value(Json{std::move(text)});
}

// Returns an empty text if nothing is known.
template <class Number>
std::string pci_express_json(const std::optional<Number> &generation,
                             const std::optional<Number> &lanes) {
  if (!generation && !lanes) return {};
  JsonObject out;
  add_known(out, "Generation", generation);
  add_known(out, "Lanes", lanes);
  return out.done();
}

template <class Device, const auto &Entries>
class DeviceAttributes {
 public:
  static std::optional<int64_t> read(const Device &device, const AttributeProperty &entry) {
    const auto told = device.attribute(entry.attribute);
    return told ? entry.converted(*told) : std::nullopt;
  }

  static std::optional<int64_t> read(const Device &device, nxs_property property) {
    const auto *entry = std::find_if(std::begin(Entries), std::end(Entries),
                                     [&](const auto &each) { return each.property == property; });
    return entry == std::end(Entries) ? std::nullopt : read(device, *entry);
  }

  // Returns the properties of every GPU, followed by the others and those of the table.
  template <std::size_t Count>
  static constexpr auto joined_to(const PropertyTable<Device, Count> &others) {
    return joined(joined(common(), others),
                  properties(std::make_index_sequence<std::size(Entries)>()));
  }

  // Returns a JSON object, in the driver's units, of the attributes of a list such as
  // "14:TextureAlignment 51:TexturePitchAlignment".
  static std::string listed_json(const Device &device, std::string_view list) {
    JsonObject out;
    for (const std::string &each : split(list, ' ')) {
      const auto told = device.attribute(std::stoi(each));
      if (told) out.add_json(each.substr(each.find(':') + 1), std::to_string(*told));
    }
    return out.done();
  }

  // Returns the value of NP_ComputeMode.
  static Value compute_mode(std::optional<int> told) {
    switch (told.value_or(-1)) {
      case 0:
        return "Default";
      case 2:
        return "Prohibited";
      case 3:
        return "ExclusiveProcess";
      default:
        return {};
    }
  }

  // unit: the name of a core, such as "SM".
  static std::string core_json(const Device &device, const char *unit,
                               std::optional<int64_t> count) {
    JsonObject out;
    out.add("SubUnitType", unit);
    add_known(out, "Count", count);
    add_known(out, "SIMDSize", read(device, NP_SIMDSize));
    add_known(out, "MaxClock", read(device, NP_CoreClockRate));
    return out.done();
  }

  // level_2: the size of that cache in bytes; 0 if it is not known.
  static std::string memory_json(const Device &device, const char *unit, int level_2) {
    JsonObject global;
    global.add("Name", "Global").add("Kind", "memory").add("Size", device.memory_size());
    add_known(global, "BusWidth", read(device, NP_MemoryBusWidth));
    add_known(global, "ClockRate", read(device, NP_MemoryClockRate));
    add_known(global, "ECC", read(device, NP_ECC));
    Memories memories;
    memories.add("L2", "cache", "Device", positive(level_2));
    memories.add("Global", global);
    memories.add("Local", "scratchpad", unit, read(device, NP_CoreMemorySize));
    memories.add("Registers", "registers", unit, read(device, NP_CoreRegisterSize));
    JsonObject out;
    add_known(out, "UnifiedMemory", read(device, NP_UnifiedMemory));
    return out.add_json("MemoryTypes", json_array(memories.entries))
        .add_json("SupportedMemoryTypes", json_list(memories.names))
        .done();
  }

  static std::optional<int64_t> max_subgroups_per_core(const Device &device) {
    const auto threads = read(device, NP_MaxThreadsPerCore);
    const auto width = read(device, NP_SIMDSize);
    return threads && width ? std::optional(*threads / *width) : std::nullopt;
  }

  // argument_size: the largest size of all arguments of a kernel.
  static std::string limits_json(const Device &device, std::optional<int64_t> argument_size) {
    JsonObject out;
    for (const AttributeProperty &entry : Entries) {
      if (entry.is_limit) add_known(out, property_name(entry.property), read(device, entry));
    }
    add_known(out, "MaxSubgroupsPerCore", max_subgroups_per_core(device));
    out.add_json("MaxGroupSize", sizes_json(device.max_group_size()))
        .add_json("MaxGridSize", sizes_json(device.max_group_count()))
        .add("MaxArguments", kMaxArguments);
    add_known(out, "MaxArgumentSize", argument_size);
    return out.add("MaxBufferSize", device.memory_size()).done();
  }

 private:
  // The memories in the order of device files.
  struct Memories {
    std::vector<std::string> entries, names;

    void add(const char *name, const JsonObject &entry) {
      entries.push_back(entry.done());
      names.emplace_back(name);
    }
    // Adds a memory if its size is known.
    void add(const char *name, const char *kind, const char *shared_by,
             const std::optional<int64_t> &size) {
      if (!size) return;
      JsonObject entry;
      entry.add("Name", name).add("Kind", kind).add("Size", static_cast<uint64_t>(*size));
      add(name, entry.add("SharedBy", shared_by));
    }
  };

  // Makes no context on a device that was not used yet.
  static Value reserved_memory(const Device &device) {
    const auto *state = device.made_state();
    return state == nullptr ? 0 : state->memory.reserved();
  }

  static constexpr auto common() {
    constexpr auto pci_address = [](const Device &d) -> Value { return known(pci_address_of(d)); };
    return property_table<Device>({
        {NP_Name, member<&Device::name>},
        {NP_Type, [](const Device &) -> Value { return "gpu"; }},
        {NP_Architecture, member<&Device::architecture>},
        {NP_UUID, known_member<&Device::uuid>},
        {NP_Location, pci_address},
        {NP_PCIAddress, pci_address},
        {NP_GlobalMemorySize, member<&Device::memory_size>},
        {NP_MaxBufferSize, member<&Device::memory_size>},
        {NP_MemoryReserved, reserved_memory},
        // Bytes: of the widest element that kernels load, and of the driver's allocations.
        {NP_BufferOffsetAlignment, [](const Device &) -> Value { return 16; }},
        {NP_BufferAlignment, [](const Device &) -> Value { return 256; }},
        {NP_MaxGroupSize, member<&Device::max_group_size>},
        {NP_MaxGridSize, member<&Device::max_group_count>},
        {NP_MaxSubgroupsPerCore, known_member<max_subgroups_per_core>},
        {NP_MaxArguments, [](const Device &) -> Value { return kMaxArguments; }},
        {NP_NativeHandle, member<&Device::handle>},
        {NP_DLPackDevice,
         [](const Device &d) -> Value {
           return std::vector<int64_t>{Device::Driver::kDLPackDevice, d.ordinal()};
         }},
    });
  }

  template <std::size_t Index>
  static Value value_at(const Device &device) {
    return known(read(device, Entries[Index]));
  }

  template <std::size_t... Index>
  static constexpr auto properties(std::index_sequence<Index...>) {
    return property_table<Device>({{Entries[Index].property, value_at<Index>}...});
  }

  template <class Sizes>
  static std::string sizes_json(const Sizes &sizes) {
    return json_list(std::vector<int64_t>(sizes.begin(), sizes.end()));
  }
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_DEVICE_ATTRIBUTES_HPP_
