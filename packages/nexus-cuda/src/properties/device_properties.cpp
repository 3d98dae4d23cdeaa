// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: what the driver and NVML tell of a device, in the words of our catalogue.
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "properties/device_attributes.hpp"
#include "properties/device_identity.hpp"
#include "properties/sensors.hpp"
#include "toolkit/compile_request.hpp"
#include "toolkit/nvrtc.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
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

// The widest element that kernels load is of 16 bytes, and must lie at a multiple of them.
constexpr int kBufferOffsetAlignment = 16;
constexpr int kBufferAlignment = 256;               // of what the driver allocates
constexpr double kTimeStampResolution = 500;        // ns, of the driver's events
constexpr int64_t kTransfersPerClock = 2;           // of every memory that GPUs have
constexpr int64_t kDlpackCuda = 2;                  // DLPack's number of CUDA's devices
constexpr int64_t kMegahertz = 1000000, kByte = 8;  // Hz, bits

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

// The most bytes of all arguments of a kernel. CUDA 12.1 raised it for Volta and later.
int max_argument_size(const Device &device) {
  constexpr int kBefore = 4096, kSince = 32764, kRaisedIn = 12010, kVolta = 70;
  return driver_version() >= kRaisedIn && device.compute_capability() >= kVolta ? kSince : kBefore;
}

// The most warps on one multiprocessor.
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

// A number that NVML tells of the GPU.
template <auto Function, auto... Question>
std::optional<uint64_t> sensor(const Device &device) {
  return ask_nvml<unsigned>(nvml().*Function, sensors_of(device).gpu(), Question...);
}

// Empty, as power_json(), where NVML does not tell any of it.
std::string pci_express_json(const Device &device) {
  const auto generation = sensor<&NvmlFunctions::DeviceGetMaxPcieLinkGeneration>(device);
  const auto lanes = sensor<&NvmlFunctions::DeviceGetMaxPcieLinkWidth>(device);
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

template <auto Write>
Value json(const Device &device) {
  std::string text = Write(device);
  return text.empty() ? Value() : Value(Json{std::move(text)});
}

std::string dotted(int version, int major_unit, int minor_unit) {
  return join(version / major_unit, ".", version % major_unit / minor_unit);
}

Value compute_mode(const Device &device) {
  switch (device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE).value_or(-1)) {
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

// The bandwidth that the memory's clock and bus make possible.
Value memory_bandwidth(const Device &device) {
  const auto clock = read_attribute(device, NP_MemoryClockRate);
  const auto width = read_attribute(device, NP_MemoryBusWidth);
  if (!clock || !width) return {};
  return *clock * kMegahertz * kTransfersPerClock * *width / kByte;
}

// Those of the compilers for the architecture, as the device files list them.
Value data_types(const Device &device) {
  constexpr struct {
    const char *name;
    int since = 0, before = 1000;  // compute capability
  } kTypes[] = {{"float64"},      {"float32"},    {"tfloat32", 80}, {"float16", 53},
                {"bfloat16", 80}, {"float8", 89}, {"float6", 100},  {"float4", 100},
                {"int64"},        {"uint64"},     {"int32"},        {"uint32"},
                {"int16"},        {"uint16"},     {"int8"},         {"uint8"},
                {"int4", 75, 90}};
  const int capability = device.compute_capability();
  std::vector<std::string> types;
  for (const auto &type : kTypes) {
    if (capability >= type.since && capability < type.before) types.emplace_back(type.name);
  }
  return types;
}

Value pci_vendor(const Device &device) {
  const auto numbers = pci_numbers_of(device);
  return numbers ? Value(numbers->vendor) : Value();
}

Value pci_device(const Device &device) {
  const auto numbers = pci_numbers_of(device);
  return numbers ? Value(numbers->device) : Value();
}

template <auto Read>
Value live(const Device &device) {
  return known((sensors_of(device).*Read)());
}

template <auto Function>
Value watts(const Device &device) {
  const auto milliwatts = sensor<Function>(device);
  return milliwatts ? Value(static_cast<double>(*milliwatts) / 1000.0) : Value();
}

// 0 as long as the device was not used, which asking does not change.
Value reserved_memory(const Device &device) {
  const DeviceState *state = device.made_state();
  if (state == nullptr) return 0;
  return state->memory.reserved();
}

// Nothing where there is none.
Value compiler_of(const Device &device) {
  try {
    return nvrtc_title(find_nvrtc(compile_device_of(device).driver_major).version);
  } catch (const nexus_plugin::Error &) {
    return {};
  }
}

constexpr auto kOtherProperties = std::to_array<nexus_plugin::Property<Device>>({
    // Identity.
    {NP_Name, member<&Device::name>},
    {NP_Type, [](const Device &) -> Value { return "gpu"; }},
    {NP_Vendor, [](const Device &) -> Value { return "NVIDIA"; }},
    {NP_Architecture, member<&Device::architecture>},
    {NP_ComputeCapability,
     [](const Device &d) -> Value { return dotted(d.compute_capability(), 10, 1); }},
    {NP_UUID, known_member<uuid_of>},
    {NP_Location, known_member<pci_address_of>},
    {NP_PCIAddress, known_member<pci_address_of>},
    {NP_PCIVendorID, pci_vendor},
    {NP_PCIDeviceID, pci_device},
    {NP_Version, [](const Device &) -> Value { return dotted(driver_version(), 1000, 10); }},
    {NP_DriverVersion, [](const Device &) -> Value { return known(driver_release()); }},
    // Memory and limits.
    {NP_GlobalMemorySize, member<&Device::memory_size>},
    {NP_MemoryBandwidth, memory_bandwidth},
    {NP_MaxBufferSize, member<&Device::memory_size>},
    {NP_BufferOffsetAlignment, [](const Device &) -> Value { return kBufferOffsetAlignment; }},
    {NP_BufferAlignment, [](const Device &) -> Value { return kBufferAlignment; }},
    {NP_MaxGroupSize, member<&Device::max_group_size>},
    {NP_MaxGridSize, member<&Device::max_group_count>},
    {NP_MaxSubgroupsPerCore, known_member<max_subgroups_per_core>},
    {NP_MemoryReserved, reserved_memory},
    {NP_NativeHandle, member<&Device::handle>},
    {NP_DLPackDevice,
     [](const Device &d) -> Value { return std::vector<int64_t>{kDlpackCuda, d.ordinal()}; }},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler, compiler_of},
    {NP_MaxArguments, [](const Device &) -> Value { return nexus_plugin::kMaxArguments; }},
    {NP_MaxArgumentSize, member<max_argument_size>},
    {NP_DataTypes, data_types},
    {NP_ComputeMode, compute_mode},
    {NP_ProgrammaticLaunch,
     [](const Device &d) -> Value { return d.has_programmatic_launch() ? 1 : 0; }},
    {NP_TimeStampResolution, [](const Device &) -> Value { return kTimeStampResolution; }},
    // The tree.
    {NP_CoreSubsystem, json<core_json>},
    {NP_MemorySubsystem, json<memory_json>},
    {NP_Limits, json<limits_json>},
    {NP_KernelModel, json<kernel_model_json>},
    {NP_PCIExpress, json<pci_express_json>},
    {NP_Power, json<power_json>},
    {NP_Extensions, json<extensions_json>},
    // At the time of asking.
    {NP_GlobalMemoryFree, live<&Sensors::memory_free>},
    {NP_GlobalMemoryUsed, live<&Sensors::memory_used>},
    {NP_MemoryUtilization, live<&Sensors::memory_used_percent>},
    {NP_CoreUtilization, live<&Sensors::core_utilization>},
    {NP_MemoryBusUtilization, live<&Sensors::memory_bus_utilization>},
    {NP_CurrentClock, known_member<sensor<&NvmlFunctions::DeviceGetClockInfo, NVML_CLOCK_SM>>},
    {NP_CurrentMemoryClock,
     known_member<sensor<&NvmlFunctions::DeviceGetClockInfo, NVML_CLOCK_MEM>>},
    {NP_Temperature, live<&Sensors::temperature>},
    {NP_PowerDraw, watts<&NvmlFunctions::DeviceGetPowerUsage>},
    {NP_PowerLimit, watts<&NvmlFunctions::DeviceGetEnforcedPowerLimit>},
    {NP_MaxPower, live<&Sensors::max_power>},
    {NP_FanSpeed, known_member<sensor<&NvmlFunctions::DeviceGetFanSpeed>>},
    {NP_CorrectedMemoryErrors, live<&Sensors::corrected_errors>},
    {NP_UncorrectedMemoryErrors, live<&Sensors::uncorrected_errors>},
    {NP_CurrentLinkGeneration,
     known_member<sensor<&NvmlFunctions::DeviceGetCurrPcieLinkGeneration>>},
    {NP_CurrentLinkWidth, known_member<sensor<&NvmlFunctions::DeviceGetCurrPcieLinkWidth>>},
    {NP_MIGMode, live<&Sensors::mig_mode>},
});

template <std::size_t Index>
Value attribute_at(const Device &device) {
  return known(read_attribute(device, kAttributeProperties[Index]));
}

// Those above, and after them those that are one attribute of the driver.
template <std::size_t... Index>
constexpr auto with_attributes(std::index_sequence<Index...>) {
  using Property = nexus_plugin::Property<Device>;
  std::array<Property, kOtherProperties.size() + sizeof...(Index)> all{};
  std::copy(kOtherProperties.begin(), kOtherProperties.end(), all.begin());
  constexpr std::array attributes = {
      Property{kAttributeProperties[Index].property, &attribute_at<Index>}...};
  std::copy(attributes.begin(), attributes.end(), all.begin() + kOtherProperties.size());
  return nexus_plugin::PropertyTable<Device, all.size()>{all};
}

constexpr auto device_properties =
    with_attributes(std::make_index_sequence<std::size(kAttributeProperties)>());

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
