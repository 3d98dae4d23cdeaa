// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/launch.hpp>

namespace nexus_metal NXS_HIDDEN {
namespace {

constexpr Size3 kMostInGroup{kMostThreads, kMostThreads, kMostThreads};

uint64_t memory_size(const Device &device) {
  const Pool pool;
  return msg.working_set(device.get());
}

Value memory_used(const Device &device) {
  const Pool pool;
  return msg.allocated(device.get());
}

std::string memory_json(const Device &device) {
  const std::vector<std::string> types = {JsonObject()
                                              .add("Name", "Global")
                                              .add("Kind", "memory")
                                              .add("Size", memory_size(device))
                                              .done(),
                                          JsonObject()
                                              .add("Name", "Threadgroup")
                                              .add("Kind", "scratchpad")
                                              .add("Size", device.local_memory_size())
                                              .done()};
  const std::vector<std::string> names = {"Global", "Threadgroup"};
  return JsonObject()
      .add_json("UnifiedMemory", device.unified() ? "1" : "0")
      .add_json("MemoryTypes", json_array(types))
      .add_json("SupportedMemoryTypes", json_list(names))
      .done();
}

std::string limits_json(const Device &device) {
  const std::vector<int64_t> sizes(kMostInGroup.begin(), kMostInGroup.end());
  return JsonObject()
      .add("MaxThreadsPerBlock", kMostThreads)
      .add_json("MaxGroupSize", json_list(sizes))
      .add("MaxThreadgroupMemorySize", device.local_memory_size())
      .add("MaxArguments", kMostBuffers - 1)
      .add("MaxArgumentSize", kMostBytes)
      .add("MaxBufferSize", device.max_buffer_size())
      .done();
}

// The facts that only Metal has.
std::string extensions_json(const Device &device) {
  const auto flag = [](bool set) { return set ? "1" : "0"; };
  const std::string own = JsonObject()
                              .add("RegistryID", msg.registry_id(device.get()))
                              .add("AppleFamily", static_cast<uint64_t>(device.apple_family()))
                              .add_json("Metal3", flag(device.supports(MTLGPUFamilyMetal3)))
                              .add_json("Mac2", flag(device.supports(MTLGPUFamilyMac2)))
                              .add_json("LowPower", flag(msg.low_power(device.get())))
                              .add_json("Removable", flag(msg.removable(device.get())))
                              .done();
  return JsonObject().add_json("Metal", own).done();
}

template <auto Write>
Value json(const Device &device) {
  const Pool pool;
  return Json{Write(device)};
}

Value features_of(const Device &device) {
  std::string list;
  for (int family = 1; family <= device.apple_family(); ++family) {
    if (device.supports(MTLGPUFamilyApple1 + family - 1)) {
      list += join(list.empty() ? "" : ",", "apple", family);
    }
  }
  if (device.supports(MTLGPUFamilyMac2)) list += list.empty() ? "mac2" : ",mac2";
  if (device.supports(MTLGPUFamilyMetal3)) list += list.empty() ? "metal3" : ",metal3";
  return known(list);
}

Value data_types(const Device &) {
  return std::vector<std::string>{"float32", "float16", "int8",   "uint8", "int16",
                                  "uint16",  "int32",   "uint32", "int64", "uint64"};
}

constexpr auto device_properties = property_table<Device>({
    {NP_Name, member<&Device::name>},
    {NP_Type, [](const Device &) -> Value { return "gpu"; }},
    {NP_Description,
     [](const Device &device) -> Value { return join("'", device.name(), "' through Metal."); }},
    {NP_Vendor,
     [](const Device &device) -> Value {
       return device.apple_family() != 0 ? Value("Apple") : Value("unknown");
     }},
    {NP_Architecture, member<architecture_of>},
    {NP_Features, features_of},
    {NP_SubUnitType, [](const Device &) -> Value { return "Core"; }},
    {NP_GlobalMemorySize, member<memory_size>},
    {NP_MemoryUsed, memory_used},
    {NP_CoreMemorySize, member<&Device::local_memory_size>},
    {NP_UnifiedMemory, [](const Device &device) -> Value { return device.unified() ? 1 : 0; }},
    {NP_MaxBufferSize, member<&Device::max_buffer_size>},
    {NP_BufferOffsetAlignment, [](const Device &) -> Value { return 1; }},
    {NP_MaxThreadsPerBlock, [](const Device &) -> Value { return kMostThreads; }},
    {NP_MaxThreadsPerThreadgroup, [](const Device &) -> Value { return kMostThreads; }},
    {NP_MaxGroupSize, [](const Device &) -> Value { return kMostInGroup; }},
    {NP_MaxThreadgroupMemorySize, member<&Device::local_memory_size>},
    {NP_MaxArguments, [](const Device &) -> Value { return kMostBuffers - 1; }},
    {NP_MaxArgumentSize, [](const Device &) -> Value { return kMostBytes; }},
    {NP_DataTypes, data_types},
    {NP_MemorySubsystem, json<memory_json>},
    {NP_Limits, json<limits_json>},
    {NP_Extensions, json<extensions_json>},
    {NP_NativeHandle, member<&Device::handle>},
    {NP_DLPackDevice, member<&Device::dlpack_device>},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler,
     [](const Device &device) -> Value { return join("Metal (of '", device.name(), "')"); }},
});

}  // namespace
}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
