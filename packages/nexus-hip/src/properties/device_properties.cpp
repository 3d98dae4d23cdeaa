// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: values from HIP.
#include "compile/hiprtc.hpp"
#include "properties/sensors.hpp"

#include <algorithm>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/driver/device_attributes.hpp>
#include <nexus-plugin/gpu/device_state.hpp>

namespace nexus_hip NXS_HIDDEN {
namespace {

using nexus_plugin::add_known;
using nexus_plugin::json;
using nexus_plugin::JsonObject;
using nexus_plugin::known;
using nexus_plugin::member;
using nexus_plugin::positive;
using nexus_plugin::positive_or_zero;
using nexus_plugin::to_bytes;
using nexus_plugin::to_megahertz;
using nexus_plugin::Value;
using nexus_plugin::yes_or_no;

constexpr nexus_plugin::AttributeProperty kAttributeProperties[] = {
    // Cores.
    {NP_SIMDSize, hipDeviceAttributeWarpSize},
    {NP_PreferredGroupMultiple, hipDeviceAttributeWarpSize},
    {NP_CoreClockRate, hipDeviceAttributeClockRate, to_megahertz},
    {NP_CoreMemorySize, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor},
    {NP_CoreRegisterSize, hipDeviceAttributeMaxRegistersPerMultiprocessor, to_bytes},
    // Groups.
    {NP_MaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock, positive, true},
    {NP_MaxThreadsPerThreadgroup, hipDeviceAttributeMaxThreadsPerBlock},
    {NP_MaxThreadsPerCore, hipDeviceAttributeMaxThreadsPerMultiProcessor, positive, true},
    {NP_MaxThreadgroupsPerCore, hipDeviceAttributeMaxBlocksPerMultiProcessor, positive, true},
    {NP_MaxRegistersPerBlock, hipDeviceAttributeMaxRegistersPerBlock, positive, true},
    {NP_MaxThreadgroupMemorySize, hipDeviceAttributeMaxSharedMemoryPerBlock, positive, true},
    {NP_DefaultThreadgroupMemorySize, hipDeviceAttributeMaxSharedMemoryPerBlock, positive, true},
    {NP_MaxConstantMemorySize, hipDeviceAttributeTotalConstantMemory, positive, true},
    // Memory.
    {NP_MemoryClockRate, hipDeviceAttributeMemoryClockRate, to_megahertz},
    {NP_MemoryBusWidth, hipDeviceAttributeMemoryBusWidth},
    {NP_ECC, hipDeviceAttributeEccEnabled, yes_or_no},
    {NP_UnifiedMemory, hipDeviceAttributeIntegrated, yes_or_no},
    {NP_UnifiedAddressing, hipDeviceAttributeUnifiedAddressing, yes_or_no},
    {NP_ManagedMemory, hipDeviceAttributeManagedMemory, yes_or_no},
    {NP_ConcurrentManagedAccess, hipDeviceAttributeConcurrentManagedAccess, yes_or_no},
    {NP_PageableMemoryAccess, hipDeviceAttributePageableMemoryAccess, yes_or_no},
    {NP_MemoryPools, hipDeviceAttributeMemoryPoolsSupported, yes_or_no},
    // Work.
    {NP_CopyEngineCount, hipDeviceAttributeAsyncEngineCount, positive_or_zero},
    {NP_ConcurrentKernels, hipDeviceAttributeConcurrentKernels, yes_or_no},
    {NP_KernelTimeLimit, hipDeviceAttributeKernelExecTimeout, yes_or_no},
    // Place.
    {NP_NumaNode, hipDeviceAttributeHostNumaId, positive_or_zero},
    {NP_PCIDeviceID, hipDeviceAttributePciChipId},
};
using Attributes = nexus_plugin::DeviceAttributes<Device, kAttributeProperties>;

// HIP's other attributes that AMD's GPUs have: their numbers, and their names without
// hipDeviceAttribute.
constexpr std::string_view kOtherAttributes =
    // Textures: in elements; in bytes if the name ends with Pitch or Alignment.
    "39:MaxTexture1DWidth 43:MaxTexture2DWidth 44:MaxTexture2DHeight 49:MaxTexture3DWidth "
    "50:MaxTexture3DHeight 51:MaxTexture3DDepth 58:MaxPitch 81:TextureAlignment "
    "82:TexturePitchAlignment 10014:Images "
    // The host's memory and other devices'.
    "3:CanMapHostMemory 4:CanUseHostPointerForRegisteredMemory 15:HostNativeAtomics "
    "13:DirectManagedMemoryAccessFromHost 66:PageableMemoryAccessUsesHostPageTables "
    "90:HostRegister 10011:LargeBAR 10016:FineGrainMemory 89:VirtualMemoryManagement "
    "91:MemoryPoolHandleTypes 93:DMABuffers "
    // Cores and clocks: kilohertz.
    "63:Multiprocessors 10018:XCDs 10019:MaxVGPRsPerThread 10000:ClockInstructionRate "
    "10017:WallClockRate "
    // Work, and the board.
    "78:StreamPriorities 10013:StreamWaitValue 17:MultiGPUBoard 10012:ASICRevision ";

constexpr int kPciVendorOfAmd = 0x1002;

Value compute_mode(const Device &device) {
  return Attributes::compute_mode(device.attribute(hipDeviceAttributeComputeMode));
}

std::string core_json(const Device &device) {
  return Attributes::core_json(device, "CU", std::optional(device.compute_units()));
}

std::string memory_json(const Device &device) {
  return Attributes::memory_json(device, "CU",
                                 device.attribute(hipDeviceAttributeL2CacheSize).value_or(0));
}

std::string limits_json(const Device &device) {
  return Attributes::limits_json(device, {});
}

std::optional<double> scaled(std::optional<int64_t> number, double by) {
  return number ? std::optional(static_cast<double>(*number) * by) : std::nullopt;
}

constexpr double kMicro = 1e-6, kMilli = 1e-3;  // of microwatts, hertz in MHz, millidegrees

// From MI300 on, data center GPUs lack the first sensor (edge) and have only the hotspot (junction)
// sensor.
std::optional<double> degrees(const Device &device, const char *edge, const char *hottest) {
  const auto told = monitor(device, edge);
  return scaled(told ? told : monitor(device, hottest), kMilli);
}

// Returns the generation of PCI Express with these gigatransfers a second, rounded down.
std::optional<int64_t> link_generation(std::optional<int64_t> speed) {
  constexpr int64_t kSpeeds[] = {2, 5, 8, 16, 32, 64};
  const auto *found = std::find(std::begin(kSpeeds), std::end(kSpeeds), speed.value_or(0));
  return found != std::end(kSpeeds) ? std::optional(found - kSpeeds + 1) : std::nullopt;
}

// Returns an empty text if amdgpu reports nothing, as power_json() does.
std::string pci_express_json(const Device &device) {
  const auto generation = link_generation(sensor(device, "max_link_speed"));
  const auto lanes = sensor(device, "max_link_width");
  return nexus_plugin::pci_express_json(generation, lanes);
}

std::string power_json(const Device &device) {
  const auto most = monitor(device, "power1_cap_max");
  const auto hottest = degrees(device, "temp1_crit", "temp2_crit");
  if (!most && !hottest) return {};
  JsonObject out;
  add_known(out, "MinPower", scaled(monitor(device, "power1_cap_min"), kMicro));
  add_known(out, "MaxPower", scaled(most, kMicro));
  add_known(out, "MaxTemperature", hottest);
  return out.done();
}

Value memory_free(const Device &device) {
  const auto total = sensor(device, "mem_info_vram_total");
  const auto used = sensor(device, "mem_info_vram_used");
  return total && used ? Value(*total - *used) : Value();
}

Value memory_used_percent(const Device &device) {
  const auto total = sensor(device, "mem_info_vram_total");
  const auto used = sensor(device, "mem_info_vram_used");
  return total && used && *total > 0 ? Value(100 * *used / *total) : Value();
}

Value megahertz(std::optional<int64_t> hertz) {
  return known(hertz ? std::optional(*hertz / 1000000) : std::nullopt);
}

// GPUs have the average of the last moments, the power at the moment, or both.
Value power_draw(const Device &device) {
  const auto average = monitor(device, "power1_average");
  return known(scaled(average ? average : monitor(device, "power1_input"), kMicro));
}

Value fan_speed(const Device &device) {
  const auto level = monitor(device, "pwm1");
  return known(level ? std::optional(*level * 100 / 255) : std::nullopt);
}

std::string kernel_model_json(const Device &device) {
  return JsonObject()
      .add("LLVMTarget", "amdgcn")
      .add("Triple", "amdgcn-amd-amdhsa")
      .add("Processor", device.architecture())
      .done();
}

std::string extensions_json(const Device &device) {
  JsonObject out;
  out.add_json("Ordinal", std::to_string(device.ordinal()));
  out.add("TargetID", device.target_id());
  out.add_json("Attributes", Attributes::listed_json(device, kOtherAttributes));
  return JsonObject().add_json("HIP", out.done()).done();
}

constexpr auto device_properties = Attributes::joined_to(nexus_plugin::property_table<Device>({
    // Identity.
    {NP_Vendor, [](const Device &) -> Value { return "AMD"; }},
    {NP_PCIVendorID, [](const Device &) -> Value { return kPciVendorOfAmd; }},
    {NP_Version, [](const Device &) -> Value { return runtime_version_text(); }},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler, [](const Device &) -> Value { return known(hiprtc_title()); }},
    // Cores, memory and limits.
    {NP_Count, member<&Device::compute_units>},
    {NP_CoreCount, member<&Device::compute_units>},
    {NP_CooperativeLaunch,
     [](const Device &d) -> Value { return d.has_cooperative_launch() ? 1 : 0; }},
    {NP_ClusterLaunch, [](const Device &) -> Value { return 0; }},
    {NP_ProgrammaticLaunch, [](const Device &) -> Value { return 0; }},
    {NP_ComputeMode, compute_mode},
    // The tree.
    {NP_KernelModel, json<kernel_model_json>},
    {NP_CoreSubsystem, json<core_json>},
    {NP_MemorySubsystem, json<memory_json>},
    {NP_Limits, json<limits_json>},
    {NP_PCIExpress, json<pci_express_json>},
    {NP_Power, json<power_json>},
    {NP_Extensions, json<extensions_json>},
    // Current values.
    {NP_GlobalMemoryFree, memory_free},
    {NP_GlobalMemoryUsed,
     [](const Device &d) -> Value { return known(sensor(d, "mem_info_vram_used")); }},
    {NP_MemoryUtilization, memory_used_percent},
    {NP_CoreUtilization,
     [](const Device &d) -> Value { return known(sensor(d, "gpu_busy_percent")); }},
    {NP_MemoryBusUtilization,
     [](const Device &d) -> Value { return known(sensor(d, "mem_busy_percent")); }},
    {NP_CurrentClock,
     [](const Device &d) -> Value { return megahertz(monitor(d, "freq1_input")); }},
    {NP_CurrentMemoryClock,
     [](const Device &d) -> Value { return megahertz(monitor(d, "freq2_input")); }},
    {NP_Temperature,
     [](const Device &d) -> Value { return known(degrees(d, "temp1_input", "temp2_input")); }},
    {NP_PowerDraw, power_draw},
    {NP_PowerLimit,
     [](const Device &d) -> Value { return known(scaled(monitor(d, "power1_cap"), kMicro)); }},
    {NP_MaxPower,
     [](const Device &d) -> Value { return known(scaled(monitor(d, "power1_cap_max"), kMicro)); }},
    {NP_FanSpeed, fan_speed},
    {NP_CorrectedMemoryErrors,
     [](const Device &d) -> Value { return known(memory_errors(d, "ce:")); }},
    {NP_UncorrectedMemoryErrors,
     [](const Device &d) -> Value { return known(memory_errors(d, "ue:")); }},
    {NP_CurrentLinkGeneration,
     [](const Device &d)
         -> Value { return known(link_generation(sensor(d, "current_link_speed"))); }},
    {NP_CurrentLinkWidth,
     [](const Device &d) -> Value { return known(sensor(d, "current_link_width")); }},
}));

}  // namespace
}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
