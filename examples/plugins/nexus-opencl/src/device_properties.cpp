// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: what OpenCL tells of a device, in the words of our catalogue.
#include "compile_request.hpp"

#include <array>
#include <cstdio>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::join;
using nexus_plugin::Json;
using nexus_plugin::json_array;
using nexus_plugin::json_list;
using nexus_plugin::JsonObject;
using nexus_plugin::known;
using nexus_plugin::known_member;
using nexus_plugin::member;
using nexus_plugin::Value;

std::string core_json(const Device &device) {
  return JsonObject()
      .add("SubUnitType", "ComputeUnit")
      .add("Count", device.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0))
      .add("SIMDSize", device.simd_size())
      .add("MaxClock", device.number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0))
      .done();
}

std::string memory_json(const Device &device) {
  std::vector<std::string> types, names;
  const auto add = [&](const char *name, const char *kind, uint64_t size, uint64_t line) {
    if (size == 0) return;
    types.push_back(JsonObject()
                        .add("Name", name)
                        .add("Kind", kind)
                        .add("Size", size)
                        .add("LineSize", line)
                        .done());
    names.emplace_back(name);
  };
  add("Cache", "cache", device.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE).value_or(0),
      device.number<cl_uint>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE).value_or(0));
  add("Global", "memory", device.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE).value_or(0), 0);
  add("Local", "scratchpad", device.core_memory_size(), 0);
  JsonObject out;
  if (const auto unified = device.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY)) {
    out.add_json("UnifiedMemory", *unified != CL_FALSE ? "1" : "0");
  }
  return out.add_json("MemoryTypes", json_array(types))
      .add_json("SupportedMemoryTypes", json_list(names))
      .done();
}

std::string limits_json(const Device &device) {
  const auto &group = device.max_group_size();
  const std::vector<int64_t> sizes(group.begin(), group.end());
  return JsonObject()
      .add("MaxThreadsPerBlock", device.max_group_items())
      .add_json("MaxGroupSize", json_list(sizes))
      .add("MaxThreadgroupMemorySize", device.local_memory_size())
      .add("MaxArguments", nexus_plugin::kMaxArguments)
      .add("MaxArgumentSize", device.number<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE).value_or(0))
      .add("MaxConstantMemorySize",
           device.number<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE).value_or(0))
      .add("MaxBufferSize", device.max_buffer_size())
      .done();
}

// OpenCL's own facts.
std::string extensions_json(const Device &device) {
  const Platform &platform = device.platform();
  const std::string own =
      JsonObject()
          .add("Platform", platform.name())
          .add("PlatformVendor", platform.vendor())
          .add("PlatformVersion", platform.version_text())
          .add("DeviceVersion", device.text(CL_DEVICE_VERSION).value_or(""))
          .add("Profile", device.text(CL_DEVICE_PROFILE).value_or(""))
          .add("OpenCLCVersion", device.text(CL_DEVICE_OPENCL_C_VERSION).value_or(""))
          .add("ILVersion", device.il_version())
          .add_json("Extensions", json_list(nexus_plugin::split(device.extensions(), ' ')))
          .done();
  return JsonObject().add_json("OpenCL", own).done();
}

// What the driver answers; not known where that is nothing or 0.
template <class Number, cl_info kInfo>
Value number(const Device &device) {
  return known(device.number<Number>(kInfo).value_or(0));
}
template <cl_info kInfo>
Value text(const Device &device) {
  return known(device.text(kInfo));
}
template <cl_info kInfo>
Value flag(const Device &device) {
  const auto told = device.number<cl_bool>(kInfo);
  return told ? Value(*told != CL_FALSE ? 1 : 0) : Value();
}

template <auto Write>
Value json(const Device &device) {
  return Json{Write(device)};
}

Value type_of(const Device &device) {
  if ((device.type() & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  return (device.type() & CL_DEVICE_TYPE_CPU) != 0 ? "cpu" : "accelerator";
}

Value vendor_of(const Device &device) {
  return device.text(CL_DEVICE_VENDOR).value_or("unknown");
}

Value features_of(const Device &device) {
  std::string list;
  for (const char c : device.extensions()) {
    if (c != ' ') {
      list += c;
    } else if (!list.empty() && list.back() != ',') {
      list += ',';
    }
  }
  while (list.ends_with(',')) list.pop_back();
  return list.empty() ? Value() : Value(list);
}

Value data_types(const Device &device) {
  std::vector<std::string> types = {"float32", "int8",   "uint8", "int16", "uint16",
                                    "int32",   "uint32", "int64", "uint64"};
  if (device.number<cl_bitfield>(CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0) {
    types.emplace_back("float64");
  }
  if (device.has("cl_khr_fp16")) types.emplace_back("float16");
  return types;
}

Value simd_sizes(const Device &device) {
  const std::vector<uint64_t> sizes = device.subgroup_sizes();
  return sizes.empty() ? Value() : Value(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

Value pci_address(const Device &device) {
  const std::optional<PciAddress> place = device.pci_address();
  if (!place) return {};
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", place->domain, place->bus, place->device,
                place->function);
  return text;
}

Value uuid(const Device &device) {
  using Uuid = std::array<char, 16>;
  const auto bytes = device.number<Uuid>(CL_DEVICE_UUID_KHR);
  if (!device.has("cl_khr_device_uuid") || !bytes || *bytes == Uuid{}) return {};
  return nexus_plugin::hexadecimal({bytes->data(), bytes->size()});
}

Value compute_capability(const Device &device) {
  const std::string name = architecture_of(device);
  if (!name.starts_with("sm_")) return {};
  return join(name.substr(3, name.size() - 4), ".", name.substr(name.size() - 1));
}

// PCI numbers its vendors with 16 bits; other numbers are none of them.
Value pci_vendor(const Device &device) {
  const cl_uint vendor = device.number<cl_uint>(CL_DEVICE_VENDOR_ID).value_or(0);
  return device.pci_address() && vendor <= 0xffff ? known(vendor) : Value();
}

Value compiler_of(const Device &device) {
  if (!device.has_compiler()) return {};
  return join(device.platform().name(), " (", device_identity(device), ")");
}

Value languages_of(const Device &device) {
  return device.has_compiler() ? Value(compile_languages()) : Value();
}

// What never changes.
constexpr auto device_properties = nexus_plugin::property_table<Device>({
    {NP_Name, member<&Device::name>},
    {NP_Type, type_of},
    {NP_Description,
     [](const Device &d) -> Value {
       return join("'", d.name(), "' through OpenCL of '", d.platform().name(), "'.");
     }},
    {NP_Vendor, vendor_of},
    {NP_Architecture, member<architecture_of>},
    {NP_Version, text<CL_DEVICE_VERSION>},
    {NP_MajorVersion, [](const Device &d) -> Value { return d.version() / 10; }},
    {NP_MinorVersion, [](const Device &d) -> Value { return d.version() % 10; }},
    {NP_DriverVersion, text<CL_DRIVER_VERSION>},
    {NP_Features, features_of},
    {NP_ComputeCapability, compute_capability},
    {NP_UUID, uuid},
    {NP_PCIAddress, pci_address},
    {NP_Location, pci_address},
    {NP_PCIVendorID, pci_vendor},
    {NP_Count, number<cl_uint, CL_DEVICE_MAX_COMPUTE_UNITS>},
    {NP_CoreCount, number<cl_uint, CL_DEVICE_MAX_COMPUTE_UNITS>},
    {NP_SubUnitType, [](const Device &) -> Value { return "ComputeUnit"; }},
    {NP_CoreClockRate, number<cl_uint, CL_DEVICE_MAX_CLOCK_FREQUENCY>},
    {NP_SIMDSize, known_member<&Device::simd_size>},
    {NP_SIMDSizes, simd_sizes},
    {NP_CacheLineSize, number<cl_uint, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE>},
    {NP_GlobalMemorySize, number<cl_ulong, CL_DEVICE_GLOBAL_MEM_SIZE>},
    {NP_CoreMemorySize, known_member<&Device::core_memory_size>},
    {NP_UnifiedMemory, flag<CL_DEVICE_HOST_UNIFIED_MEMORY>},
    {NP_ECC, flag<CL_DEVICE_ERROR_CORRECTION_SUPPORT>},
    {NP_MaxBufferSize, known_member<&Device::max_buffer_size>},
    {NP_BufferOffsetAlignment, member<&Device::offset_alignment>},
    {NP_BufferAlignment, member<&Device::offset_alignment>},
    {NP_MaxThreadsPerBlock, member<&Device::max_group_items>},
    {NP_MaxThreadsPerThreadgroup, member<&Device::max_group_items>},
    {NP_MaxGroupSize, member<&Device::max_group_size>},
    {NP_MaxThreadgroupMemorySize, member<&Device::local_memory_size>},
    {NP_MaxArguments, [](const Device &) -> Value { return nexus_plugin::kMaxArguments; }},
    {NP_MaxArgumentSize, number<size_t, CL_DEVICE_MAX_PARAMETER_SIZE>},
    {NP_MaxConstantMemorySize, number<cl_ulong, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE>},
    {NP_MaxRegistersPerBlock, number<cl_uint, CL_DEVICE_REGISTERS_PER_BLOCK_NV>},
    {NP_DataTypes, data_types},
    {NP_TimeStampResolution,
     [](const Device &d) -> Value {
       const auto step = d.number<size_t>(CL_DEVICE_PROFILING_TIMER_RESOLUTION);
       return step ? Value(static_cast<double>(*step)) : Value();
     }},
    {NP_CoreSubsystem, json<core_json>},
    {NP_MemorySubsystem, json<memory_json>},
    {NP_Limits, json<limits_json>},
    {NP_Extensions, json<extensions_json>},
    {NP_Languages, languages_of},
    {NP_Compiler, compiler_of},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
