// SPDX-License-Identifier: Apache-2.0
// nxsGetDeviceProperty: values from the driver and NVML.
#include "compile/compile.hpp"
#include "device/device.hpp"
#include "properties/sensors.hpp"

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/driver/device_attributes.hpp>
#include <nexus-plugin/gpu/device_state.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::add_known;
using nexus_plugin::AttributeProperty;
using nexus_plugin::json;
using nexus_plugin::JsonObject;
using nexus_plugin::known;
using nexus_plugin::known_member;
using nexus_plugin::member;
using nexus_plugin::positive;
using nexus_plugin::positive_or_zero;
using nexus_plugin::to_bytes;
using nexus_plugin::to_megahertz;
using nexus_plugin::Value;
using nexus_plugin::yes_or_no;

// ---- Attributes of the driver --------------------------------------------

// By CU_DEVICE_ATTRIBUTE_...
constexpr AttributeProperty kAttributeProperties[] = {
    // Cores.
    {NP_Count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {NP_CoreCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {NP_SIMDSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {NP_PreferredGroupMultiple, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {NP_CoreClockRate, 13, to_megahertz},
    {NP_CoreMemorySize, 81},
    {NP_CoreRegisterSize, 82, to_bytes},
    // Groups.
    {NP_MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, positive, true},
    {NP_MaxThreadsPerThreadgroup, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {NP_MaxThreadsPerCore, 39, positive, true},
    {NP_MaxThreadgroupsPerCore, 106, positive, true},
    {NP_MaxRegistersPerBlock, 12, positive, true},
    {NP_MaxThreadgroupMemorySize, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, positive,
     true},
    {NP_DefaultThreadgroupMemorySize, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, positive,
     true},
    {NP_ReservedThreadgroupMemorySize, 111, positive_or_zero, true},
    {NP_MaxConstantMemorySize, 9, positive, true},
    // Memory.
    {NP_MemoryClockRate, 36, to_megahertz},
    {NP_MemoryBusWidth, 37},
    {NP_ECC, 32, yes_or_no},
    {NP_UnifiedMemory, 18, yes_or_no},
    {NP_UnifiedAddressing, 41, yes_or_no},
    {NP_ManagedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, yes_or_no},
    {NP_ConcurrentManagedAccess, 89, yes_or_no},
    {NP_PageableMemoryAccess, 88, yes_or_no},
    {NP_MemoryPools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, yes_or_no},
    // Work.
    {NP_CopyEngineCount, 40, positive_or_zero},
    {NP_ConcurrentKernels, 31, yes_or_no},
    {NP_CooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, yes_or_no},
    {NP_ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, yes_or_no},
    {NP_KernelTimeLimit, 17, yes_or_no},
    // Place.
    {NP_NumaNode, 134, positive_or_zero},
};

using Attributes = nexus_plugin::DeviceAttributes<Device, kAttributeProperties>;

// The driver's other attributes: their numbers, and their names without CU_DEVICE_ATTRIBUTE_.
// Without those that current drivers do not support or list under another number too.
constexpr std::string_view kOtherAttributes =
    // Textures and surfaces: in elements; in bytes if the name ends with Pitch or Alignment.
    "14:TextureAlignment 51:TexturePitchAlignment 30:SurfaceAlignment 21:MaxTexture1DWidth "
    "77:MaxTexture1DMipmappedWidth 42:MaxTexture1DLayeredWidth 43:MaxTexture1DLayeredLayers "
    "69:MaxTexture1DLinearWidth 22:MaxTexture2DWidth 23:MaxTexture2DHeight "
    "73:MaxTexture2DMipmappedWidth 74:MaxTexture2DMipmappedHeight 27:MaxTexture2DLayeredWidth "
    "28:MaxTexture2DLayeredHeight 29:MaxTexture2DLayeredLayers 70:MaxTexture2DLinearWidth "
    "71:MaxTexture2DLinearHeight 72:MaxTexture2DLinearPitch 44:CanTexture2DGather "
    "45:MaxTexture2DGatherWidth 46:MaxTexture2DGatherHeight 24:MaxTexture3DWidth "
    "25:MaxTexture3DHeight 26:MaxTexture3DDepth 47:MaxTexture3DAlternateWidth "
    "48:MaxTexture3DAlternateHeight 49:MaxTexture3DAlternateDepth 52:MaxTextureCubemapWidth "
    "53:MaxTextureCubemapLayeredWidth 54:MaxTextureCubemapLayeredLayers 55:MaxSurface1DWidth "
    "61:MaxSurface1DLayeredWidth 62:MaxSurface1DLayeredLayers 56:MaxSurface2DWidth "
    "57:MaxSurface2DHeight 63:MaxSurface2DLayeredWidth 64:MaxSurface2DLayeredHeight "
    "65:MaxSurface2DLayeredLayers 58:MaxSurface3DWidth 59:MaxSurface3DHeight 60:MaxSurface3DDepth "
    "66:MaxSurfaceCubemapWidth 67:MaxSurfaceCubemapLayeredWidth 68:MaxSurfaceCubemapLayeredLayers "
    "112:SparseArrays 121:DeferredMappingArrays "
    // Caches and memory: bytes, and 1 or 0.
    "11:MaxPitch 79:GlobalL1Cache 80:LocalL1Cache 108:MaxPersistingL2CacheSize "
    "109:MaxAccessPolicyWindowSize 107:GenericCompression 136:MemoryDecompressionAlgorithms "
    "137:MaxMemoryDecompressionLength 102:VirtualMemoryManagement "
    "101:DirectManagedMemoryAccessFromHost 126:MemorySyncDomainCount 127:TensorMapAccess "
    // The host's memory.
    "19:CanMapHostMemory 99:HostRegister 113:ReadOnlyHostRegister "
    "91:CanUseHostPointerForRegisteredMemory 100:PageableMemoryAccessUsesHostPageTables "
    "86:HostNativeAtomics 147:OnlyPartialHostNativeAtomics 130:NumaConfiguration "
    "131:NumaNodeOfMemory 141:HostNumaVirtualMemoryManagement 142:HostNumaMemoryPools "
    "143:HostNumaMultinodeIPC 144:HostMemoryPools 145:HostVirtualMemoryManagement "
    // What other processes and devices are given.
    "103:PosixFileDescriptorHandles 104:Win32Handles 105:Win32KmtHandles 128:FabricHandles "
    "119:MemoryPoolHandleTypes 125:InterprocessEvents 132:Multicast 124:DMABuffers "
    "146:HostAllocationDMABuffers 116:GPUDirectRDMA 110:GPUDirectRDMAWithVirtualMemory "
    "117:GPUDirectRDMAFlushOptions 118:GPUDirectRDMAWriteOrdering 114:TimelineSemaphores "
    "135:GraphicsQueuesOfD3D12 138:GraphicsQueuesOfVulkan "
    // Work.
    "78:StreamPriorities 90:ComputePreemption 87:SingleToDoublePerformanceRatio "
    "129:UnifiedFunctionPointers 122:StreamMemoryOperationsOf64Bit 123:StreamWaitValueNor "
    "98:CanFlushRemoteWrites 148:StreamAtomicReduction 133:MPS "
    // The board.
    "35:TCCDriver 84:MultiGPUBoard 85:MultiGPUBoardGroup 140:PCISubsystem ";

// ---- Objects -------------------------------------------------------------

constexpr double kTimeStampResolution = 500;        // ns, of the driver's events
constexpr int64_t kTransfersPerClock = 2;           // all GPU memory has double data rate
constexpr int64_t kMegahertz = 1000000, kByte = 8;  // Hz, bits

std::string core_json(const Device &device) {
  return Attributes::core_json(device, "SM", Attributes::read(device, NP_Count));
}

std::string memory_json(const Device &device) {
  constexpr CUdevice_attribute kLevel2Size = 38;
  return Attributes::memory_json(device, "SM", device.attribute(kLevel2Size).value_or(0));
}

// Returns the largest size of all arguments of a kernel, which CUDA 12.1 raised for Volta and
// later.
int max_argument_size(const Device &device) {
  constexpr int kBefore = 4096, kSince = 32764, kRaisedIn = 12010, kVolta = 70;
  return driver_version() >= kRaisedIn && device.compute_capability() >= kVolta ? kSince : kBefore;
}

std::string limits_json(const Device &device) {
  return Attributes::limits_json(device, max_argument_size(device));
}

std::string kernel_model_json(const Device &device) {
  return JsonObject()
      .add("LLVMTarget", "nvptx64")
      .add("Triple", "nvptx64-nvidia-cuda")
      .add("Processor", device.architecture())
      .done();
}

std::optional<double> in_watts(std::optional<uint64_t> milliwatts) {
  return milliwatts ? std::optional(static_cast<double>(*milliwatts) / 1000.0) : std::nullopt;
}

// Returns an empty text if NVML reports nothing, as power_json() does.
std::string pci_express_json(const Device &device) {
  const auto generation = sensor<&NvmlFunctions::DeviceGetMaxPcieLinkGeneration>(device);
  const auto lanes = sensor<&NvmlFunctions::DeviceGetMaxPcieLinkWidth>(device);
  return nexus_plugin::pci_express_json(generation, lanes);
}

std::string power_json(const Device &device) {
  const auto range = power_range(device);
  const std::optional<double> hottest =
      sensor<&NvmlFunctions::DeviceGetTemperatureThreshold, NVML_TEMPERATURE_THRESHOLD_GPU_MAX>(
          device);
  if (!range && !hottest) return {};
  JsonObject out;
  if (range) {
    add_known(out, "MinPower", in_watts(range->least));
    add_known(out, "MaxPower", in_watts(range->most));
  }
  add_known(out, "MaxTemperature", hottest);  // the device slows down above it
  return out.done();
}

std::string extensions_json(const Device &device) {
  JsonObject out;
  out.add_json("Ordinal", std::to_string(device.ordinal()));
  out.add_json("DriverVersion", std::to_string(driver_version()));
  out.add_json("Attributes", Attributes::listed_json(device, kOtherAttributes));
  return JsonObject().add_json("CUDA", out.done()).done();
}

Value compute_mode(const Device &device) {
  return Attributes::compute_mode(device.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE));
}

// Returns bytes a second, computed from the memory's clock and bus width.
Value memory_bandwidth(const Device &device) {
  const auto clock = Attributes::read(device, NP_MemoryClockRate);
  const auto width = Attributes::read(device, NP_MemoryBusWidth);
  if (!clock || !width) return {};
  return *clock * kMegahertz * kTransfersPerClock * *width / kByte;
}

// Returns the data types that the device files list for the architecture.
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

// Returns the device's number in the high 16 bits, the vendor's in the low ones. Drivers before
// CUDA 12.8 do not tell them, but NVML does.
std::optional<unsigned> pci_numbers(const Device &device) {
  constexpr CUdevice_attribute kNumbers = 139;
  const int told = device.attribute(kNumbers).value_or(0);
  if (told != 0) return static_cast<unsigned>(told);
  const auto pci = ask_nvml<nvmlPciInfo_t>(nvml().DeviceGetPciInfo_v3, nvml_device_of(device).gpu);
  return pci && pci->pciDeviceId != 0 ? std::optional(pci->pciDeviceId) : std::nullopt;
}

template <unsigned Shift>
Value pci_number(const Device &device) {
  const auto numbers = pci_numbers(device);
  return numbers ? Value(*numbers >> Shift & 0xffffU) : Value();
}

template <auto Bytes>
Value memory_bytes(const Device &device) {
  const auto told = memory_use(device);
  return told ? Value((*told).*Bytes) : Value();
}

Value memory_used_percent(const Device &device) {
  const auto told = memory_use(device);
  if (!told || told->total == 0) return {};
  return static_cast<uint64_t>(100.0 * static_cast<double>(told->used) /
                               static_cast<double>(told->total));
}

// Returns the percentage of the last sample period in which kernels ran, or the memory was used.
template <auto Percents>
Value utilization(const Device &device) {
  const auto told =
      ask_nvml<nvmlUtilization_t>(nvml().DeviceGetUtilizationRates, nvml_device_of(device).own);
  return told ? Value((*told).*Percents) : Value();
}

template <auto Function>
Value watts(const Device &device) {
  return known(in_watts(sensor<Function>(device)));
}

Value max_power(const Device &device) {
  const auto range = power_range(device);
  return range ? known(in_watts(range->most)) : Value();
}

template <nvmlMemoryErrorType_t Type>
Value memory_errors(const Device &device) {
  return known(ask_nvml<unsigned long long>(nvml().DeviceGetTotalEccErrors,
                                            nvml_device_of(device).gpu, Type, NVML_VOLATILE_ECC));
}

// Returns 1 for a MIG instance, 0 for a whole GPU.
Value mig_mode(const Device &device) {
  const auto divided = is_divided(nvml_device_of(device).gpu);
  return divided ? Value(*divided ? 1 : 0) : Value();
}

// Returns the driver's version, such as "570.86.10", which is not CUDA's.
Value driver_release(const Device &) {
  char text[80] = "";
  const auto ask = nvml().SystemGetDriverVersion;
  if (ask == nullptr || ask(text, sizeof(text)) != NVML_SUCCESS || *text == '\0') return {};
  return text;
}

Value compiler_of(const Device &) {
  try {
    return nvrtc_title();
  } catch (const Error &) {
    return {};
  }
}

constexpr auto device_properties = Attributes::joined_to(nexus_plugin::property_table<Device>({
    // Identity.
    {NP_Vendor, [](const Device &) -> Value { return "NVIDIA"; }},
    {NP_ComputeCapability,
     [](const Device &d) -> Value {
       return join(d.compute_capability() / 10, ".", d.compute_capability() % 10);
     }},
    {NP_PCIVendorID, pci_number<0>},
    {NP_PCIDeviceID, pci_number<16>},
    {NP_Version, [](const Device &) -> Value { return version_text(driver_version()); }},
    {NP_DriverVersion, driver_release},
    // Memory and limits.
    {NP_MemoryBandwidth, memory_bandwidth},
    {NP_Languages, [](const Device &) -> Value { return compile_languages(); }},
    {NP_Compiler, compiler_of},
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
    // Current values.
    {NP_GlobalMemoryFree, memory_bytes<&MemoryUse::free>},
    {NP_GlobalMemoryUsed, memory_bytes<&MemoryUse::used>},
    {NP_MemoryUtilization, memory_used_percent},
    {NP_CoreUtilization, utilization<&nvmlUtilization_t::gpu>},
    {NP_MemoryBusUtilization, utilization<&nvmlUtilization_t::memory>},
    {NP_CurrentClock, known_member<sensor<&NvmlFunctions::DeviceGetClockInfo, NVML_CLOCK_SM>>},
    {NP_CurrentMemoryClock,
     known_member<sensor<&NvmlFunctions::DeviceGetClockInfo, NVML_CLOCK_MEM>>},
    {NP_Temperature, known_member<temperature>},
    {NP_PowerDraw, watts<&NvmlFunctions::DeviceGetPowerUsage>},
    {NP_PowerLimit, watts<&NvmlFunctions::DeviceGetEnforcedPowerLimit>},
    {NP_MaxPower, max_power},
    {NP_FanSpeed, known_member<sensor<&NvmlFunctions::DeviceGetFanSpeed>>},
    {NP_CorrectedMemoryErrors, memory_errors<NVML_MEMORY_ERROR_TYPE_CORRECTED>},
    {NP_UncorrectedMemoryErrors, memory_errors<NVML_MEMORY_ERROR_TYPE_UNCORRECTED>},
    {NP_CurrentLinkGeneration,
     known_member<sensor<&NvmlFunctions::DeviceGetCurrPcieLinkGeneration>>},
    {NP_CurrentLinkWidth, known_member<sensor<&NvmlFunctions::DeviceGetCurrPcieLinkWidth>>},
    {NP_MIGMode, mig_mode},
}));

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GET_PROPERTY(Device, devices, device_properties)
