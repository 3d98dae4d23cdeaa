// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: what OpenCL tells of a device, in the words of our catalogue.
#include "compile_request.hpp"
#include "device_identity.hpp"
#include "device_json.hpp"

#include <array>
#include <cstdio>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::join;
using nexus_plugin::Json;
using nexus_plugin::Value;

Value known(uint64_t number) {
  return number == 0 ? Value() : Value(number);
}
Value known(const std::optional<std::string> &text) {
  return text ? Value(*text) : Value();
}
template <class Number>
Value known(const Device &device, cl_info info) {
  return known(device.number<Number>(info).value_or(0));
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

Value unified_memory(const Device &device) {
  const auto unified = device.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY);
  return unified ? Value(*unified != CL_FALSE ? 1 : 0) : Value();
}

Value error_correction(const Device &device) {
  const auto corrects = device.number<cl_bool>(CL_DEVICE_ERROR_CORRECTION_SUPPORT);
  return corrects ? Value(*corrects != CL_FALSE ? 1 : 0) : Value();
}

Value group_sizes(const Device &device) {
  const auto &size = device.max_group_size();
  return std::vector<int64_t>(size.begin(), size.end());
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
  using Uuid = std::array<unsigned char, 16>;
  const auto bytes = device.number<Uuid>(CL_DEVICE_UUID_KHR);
  if (!device.has("cl_khr_device_uuid") || !bytes || *bytes == Uuid{}) return {};
  constexpr const char *kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : *bytes) text += {kDigits[byte >> 4], kDigits[byte & 15U]};
  return text;
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
    {NP_Name, [](const Device &d) -> Value { return d.name(); }},
    {NP_Type, type_of},
    {NP_Description,
     [](const Device &d) -> Value {
       return join("'", d.name(), "' through OpenCL of '", d.platform().name(), "'.");
     }},
    {NP_Vendor, vendor_of},
    {NP_Architecture, [](const Device &d) -> Value { return architecture_of(d); }},
    {NP_Version, [](const Device &d) -> Value { return known(d.text(CL_DEVICE_VERSION)); }},
    {NP_MajorVersion, [](const Device &d) -> Value { return d.version() / 10; }},
    {NP_MinorVersion, [](const Device &d) -> Value { return d.version() % 10; }},
    {NP_DriverVersion, [](const Device &d) -> Value { return known(d.text(CL_DRIVER_VERSION)); }},
    {NP_Features, features_of},
    {NP_ComputeCapability, compute_capability},
    {NP_UUID, uuid},
    {NP_PCIAddress, pci_address},
    {NP_Location, pci_address},
    {NP_PCIVendorID, pci_vendor},
    {NP_Count,
     [](const Device &d) -> Value { return known<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS); }},
    {NP_CoreCount,
     [](const Device &d) -> Value { return known<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS); }},
    {NP_SubUnitType, [](const Device &) -> Value { return "ComputeUnit"; }},
    {NP_CoreClockRate,
     [](const Device &d) -> Value { return known<cl_uint>(d, CL_DEVICE_MAX_CLOCK_FREQUENCY); }},
    {NP_SIMDSize, [](const Device &d) -> Value { return known(d.simd_size()); }},
    {NP_SIMDSizes, simd_sizes},
    {NP_CacheLineSize,
     [](const Device &d) -> Value {
       return known<cl_uint>(d, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
     }},
    {NP_GlobalMemorySize,
     [](const Device &d) -> Value { return known<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE); }},
    {NP_CoreMemorySize, [](const Device &d) -> Value { return known(d.core_memory_size()); }},
    {NP_UnifiedMemory, unified_memory},
    {NP_ECC, error_correction},
    {NP_MaxBufferSize, [](const Device &d) -> Value { return known(d.max_buffer_size()); }},
    {NP_BufferOffsetAlignment, [](const Device &d) -> Value { return d.offset_alignment(); }},
    {NP_BufferAlignment, [](const Device &d) -> Value { return d.offset_alignment(); }},
    {NP_MaxThreadsPerBlock, [](const Device &d) -> Value { return d.max_group_items(); }},
    {NP_MaxThreadsPerThreadgroup, [](const Device &d) -> Value { return d.max_group_items(); }},
    {NP_MaxGroupSize, group_sizes},
    {NP_MaxThreadgroupMemorySize, [](const Device &d) -> Value { return d.local_memory_size(); }},
    {NP_MaxArguments, [](const Device &) -> Value { return nexus_plugin::kMaxArguments; }},
    {NP_MaxArgumentSize,
     [](const Device &d) -> Value { return known<size_t>(d, CL_DEVICE_MAX_PARAMETER_SIZE); }},
    {NP_MaxConstantMemorySize,
     [](const Device &d) -> Value {
       return known<cl_ulong>(d, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
     }},
    {NP_MaxRegistersPerBlock,
     [](const Device &d) -> Value { return known<cl_uint>(d, CL_DEVICE_REGISTERS_PER_BLOCK_NV); }},
    {NP_DataTypes, data_types},
    {NP_TimeStampResolution,
     [](const Device &d) -> Value {
       const auto step = d.number<size_t>(CL_DEVICE_PROFILING_TIMER_RESOLUTION);
       return step ? Value(static_cast<double>(*step)) : Value();
     }},
    {NP_CoreSubsystem, [](const Device &d) -> Value { return Json{core_json(d)}; }},
    {NP_MemorySubsystem, [](const Device &d) -> Value { return Json{memory_json(d)}; }},
    {NP_Limits, [](const Device &d) -> Value { return Json{limits_json(d)}; }},
    {NP_Extensions, [](const Device &d) -> Value { return Json{extensions_json(d)}; }},
    {NP_Languages, languages_of},
    {NP_Compiler, compiler_of},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
