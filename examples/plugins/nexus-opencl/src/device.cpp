// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <cstdio>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/kernel/arguments.hpp>

namespace nexus_opencl NXS_HIDDEN {

constinit HandleTable<Device, NXS_ObjectType_Device> devices;

Device::Device(Platform &platform, cl_device_id id)
    : platform_(&platform),
      id_(id),
      name_(text(CL_DEVICE_NAME).value_or("OpenCL device")),
      extensions_(text(CL_DEVICE_EXTENSIONS).value_or("")),
      version_(parse_version(text(CL_DEVICE_VERSION).value_or(""))),
      type_(number<cl_device_type>(CL_DEVICE_TYPE).value_or(0)) {
  read_compilers();
  read_limits();
}

void Device::read_compilers() {
  has_compiler_ = number<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE).value_or(CL_FALSE) != CL_FALSE;
  c_version_ = parse_version(text(CL_DEVICE_OPENCL_C_VERSION).value_or(""));
  // Since 3.0 that answer may be 1.2 although a list has newer versions.
  if (version_ >= 30) {
    for (const auto &each : list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
      const cl_version version = (each.version >> 22) * 10 + ((each.version >> 12) & 0x3ff);
      c_version_ = std::max(c_version_, static_cast<int>(version));
    }
  }
  const bool can_take_il = cl().CreateProgramWithIL != nullptr && version_ >= 21;
  const bool can_take_il_khr = cl().CreateProgramWithILKHR != nullptr && has("cl_khr_il_program");
  if (can_take_il || can_take_il_khr) il_version_ = text(CL_DEVICE_IL_VERSION).value_or("");
}

void Device::read_limits() {
  max_group_items_ = number<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(1);
  const std::vector<size_t> most = list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (std::size_t d = 0; d < max_group_size_.size(); ++d) {
    max_group_size_[d] = d < most.size() && most[d] > 0 ? most[d] : max_group_items_;
  }
  max_buffer_size_ = number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(0);
  const cl_uint bits = number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN).value_or(0);
  offset_alignment_ = bits >= 8 ? bits / 8 : 1;
  local_memory_size_ = number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE).value_or(0);
}

uint64_t Device::simd_size() const {
  for (const cl_info info : {CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD}) {
    if (const auto width = number<cl_uint>(info)) return *width;
  }
  const std::vector<size_t> widths = subgroup_sizes();
  const bool gpu = (type_ & CL_DEVICE_TYPE_GPU) != 0;
  if (gpu && !widths.empty()) return *std::max_element(widths.begin(), widths.end());
  return gpu ? 0 : number<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).value_or(0);
}

std::vector<size_t> Device::subgroup_sizes() const {
  if (!has("cl_intel_required_subgroup_size")) return {};
  return list<size_t>(CL_DEVICE_SUB_GROUP_SIZES_INTEL);
}

uint64_t Device::core_memory_size() const {
  const bool own = number<cl_uint>(CL_DEVICE_LOCAL_MEM_TYPE).value_or(0) == CL_LOCAL;
  return own ? local_memory_size_ : 0;
}

bool Device::works_in_host_memory() const {
  return (type_ & CL_DEVICE_TYPE_CPU) != 0 ||
         number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY).value_or(CL_FALSE) == CL_TRUE;
}

bool Device::has_shared_memory() const {
  return cl().SVMAlloc != nullptr && (number<cl_bitfield>(CL_DEVICE_SVM_CAPABILITIES).value_or(0) &
                                      CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
}

bool Device::has_priorities() const {
  return has("cl_khr_priority_hints") && cl().CreateCommandQueueWithProperties != nullptr;
}

std::optional<cl_device_pci_bus_info_khr> Device::pci_address() const {
  using Address = cl_device_pci_bus_info_khr;
  if (has("cl_khr_pci_bus_info")) {
    if (const auto told = number<Address>(CL_DEVICE_PCI_BUS_INFO_KHR)) return told;
  }
  const auto bus = number<cl_uint>(CL_DEVICE_PCI_BUS_ID_NV);
  const auto slot = number<cl_uint>(CL_DEVICE_PCI_SLOT_ID_NV);
  if (!has("cl_nv_device_attribute_query") || !bus || !slot) return {};
  const cl_uint domain = number<cl_uint>(CL_DEVICE_PCI_DOMAIN_ID_NV).value_or(0);
  return Address{domain, *bus, *slot >> 3, *slot & 7U};
}

std::optional<std::string> Device::text(cl_info info) const {
  const std::string told = read_text(cl().GetDeviceInfo, id_, info).value_or("");
  const std::size_t first = told.find_first_not_of(' ');  // names come padded
  if (first == std::string::npos) return {};
  return told.substr(first, told.find_last_not_of(' ') - first + 1);
}

namespace {

// The architecture of processors.
constexpr const char *host_architecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "generic";
#endif
}

}  // namespace

std::string architecture_of(const Device &device) {
  const auto major = device.number<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
  const auto minor = device.number<cl_uint>(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
  if (device.has("cl_nv_device_attribute_query") && major && minor) {
    return join("sm_", *major, *minor);
  }
  const std::string &name = device.name();  // AMD's may go on: "gfx90a:sramecc+:xnack-"
  if (name.starts_with("gfx")) return name.substr(0, name.find(':'));
  return (device.type() & CL_DEVICE_TYPE_CPU) != 0 ? host_architecture() : "generic";
}

std::string device_identity(const Device &device) {
  return join(device.platform().name(), " | ", device.platform().version_text(), " | ",
              device.name(), " | ", device.text(CL_DEVICE_VERSION).value_or(""), " | ",
              device.text(CL_DRIVER_VERSION).value_or(""));
}

namespace {

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
      .add("MaxArguments", kMaxArguments)
      .add("MaxArgumentSize", device.number<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE).value_or(0))
      .add("MaxConstantMemorySize",
           device.number<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE).value_or(0))
      .add("MaxBufferSize", device.max_buffer_size())
      .done();
}

// The facts that only OpenCL has.
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
          .add_json("Extensions", json_list(split(device.extensions(), ' ')))
          .done();
  return JsonObject().add_json("OpenCL", own).done();
}

// Returns the driver's answer as a property, which is not known if the answer is nothing or 0.
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
  for (const std::string &each : split(device.extensions(), ' ')) {
    list += (list.empty() ? "" : ",") + each;
  }
  return known(list);
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
  const std::vector<size_t> sizes = device.subgroup_sizes();
  return sizes.empty() ? Value() : Value(std::vector<int64_t>(sizes.begin(), sizes.end()));
}

Value pci_address(const Device &device) {
  const auto place = device.pci_address();
  if (!place) return {};
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", place->pci_domain, place->pci_bus,
                place->pci_device, place->pci_function);
  return text;
}

Value uuid(const Device &device) {
  using Uuid = std::array<char, 16>;
  const auto bytes = device.number<Uuid>(CL_DEVICE_UUID_KHR);
  if (!device.has("cl_khr_device_uuid") || !bytes || *bytes == Uuid{}) return {};
  return hexadecimal({bytes->data(), bytes->size()});
}

Value compute_capability(const Device &device) {
  const std::string name = architecture_of(device);
  if (!name.starts_with("sm_")) return {};
  return join(name.substr(3, name.size() - 4), ".", name.substr(name.size() - 1));
}

// PCI's numbers of vendors have 16 bits; a driver may answer with a number of another kind.
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

constexpr auto device_properties = property_table<Device>({
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
    {NP_MaxArguments, [](const Device &) -> Value { return kMaxArguments; }},
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
