// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: what the driver and NVML tell of a device, in the words of our catalogue.
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "properties/device_attributes.hpp"
#include "properties/device_identity.hpp"
#include "properties/device_json.hpp"
#include "properties/sensors.hpp"
#include "toolkit/compile_request.hpp"
#include "toolkit/nvrtc.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::join;
using nexus_plugin::Json;
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
    {NP_CurrentClock, live<&Sensors::core_clock>},
    {NP_CurrentMemoryClock, live<&Sensors::memory_clock>},
    {NP_Temperature, live<&Sensors::temperature>},
    {NP_PowerDraw, live<&Sensors::power_draw>},
    {NP_PowerLimit, live<&Sensors::power_limit>},
    {NP_MaxPower, live<&Sensors::max_power>},
    {NP_FanSpeed, live<&Sensors::fan_speed>},
    {NP_CorrectedMemoryErrors, live<&Sensors::corrected_errors>},
    {NP_UncorrectedMemoryErrors, live<&Sensors::uncorrected_errors>},
    {NP_CurrentLinkGeneration, live<&Sensors::link_generation>},
    {NP_CurrentLinkWidth, live<&Sensors::link_width>},
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
