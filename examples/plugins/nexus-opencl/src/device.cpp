// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>

namespace nexus_opencl NXS_HIDDEN {

constinit nexus_plugin::HandleTable<Device, NXS_ObjectType_Device> devices;

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
  // From 3.0 on that answer is 1.2 where a list has more.
  if (version_ >= 30) {
    size_t size = 0;
    if (cl().GetDeviceInfo(id_, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &size) == CL_SUCCESS) {
      std::vector<cl_name_version> all(size / sizeof(cl_name_version));
      check(cl().GetDeviceInfo(id_, CL_DEVICE_OPENCL_C_ALL_VERSIONS, size, all.data(), nullptr),
            "asking for the versions of OpenCL C");
      for (const cl_name_version &each : all) {
        const int version =
            static_cast<int>((each.version >> 22) * 10 + ((each.version >> 12) & 0x3ff));
        c_version_ = version > c_version_ ? version : c_version_;
      }
    }
  }
  const bool can_take_il = cl().CreateProgramWithIL != nullptr && version_ >= 21;
  const bool can_take_il_khr = cl().CreateProgramWithILKHR != nullptr && has("cl_khr_il_program");
  if (can_take_il || can_take_il_khr) il_version_ = text(CL_DEVICE_IL_VERSION).value_or("");
}

void Device::read_limits() {
  max_group_items_ = number<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(1);
  const std::vector<uint64_t> most = sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
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
  const std::vector<uint64_t> widths = subgroup_sizes();
  const bool gpu = (type_ & CL_DEVICE_TYPE_GPU) != 0;
  if (gpu && !widths.empty()) return *std::max_element(widths.begin(), widths.end());
  return gpu ? 0 : number<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).value_or(0);
}

std::vector<uint64_t> Device::subgroup_sizes() const {
  return has("cl_intel_required_subgroup_size") ? sizes(CL_DEVICE_SUB_GROUP_SIZES_INTEL)
                                                : std::vector<uint64_t>();
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

std::optional<PciAddress> Device::pci_address() const {
  if (has("cl_khr_pci_bus_info")) {
    if (const auto place = number<cl_device_pci_bus_info_khr>(CL_DEVICE_PCI_BUS_INFO_KHR)) {
      return PciAddress{place->pci_domain, place->pci_bus, place->pci_device, place->pci_function};
    }
  }
  const auto bus = number<cl_uint>(CL_DEVICE_PCI_BUS_ID_NV);
  const auto slot = number<cl_uint>(CL_DEVICE_PCI_SLOT_ID_NV);
  if (!has("cl_nv_device_attribute_query") || !bus || !slot) return {};
  const cl_uint domain = number<cl_uint>(CL_DEVICE_PCI_DOMAIN_ID_NV).value_or(0);
  return PciAddress{domain, *bus, *slot >> 3, *slot & 7U};
}

std::optional<std::string> Device::text(cl_info info) const {
  size_t size = 0;
  if (cl().GetDeviceInfo(id_, info, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string out(size, '\0');
  if (cl().GetDeviceInfo(id_, info, size, out.data(), nullptr) != CL_SUCCESS) return {};
  out.resize(out.find('\0') == std::string::npos ? out.size() : out.find('\0'));
  const std::size_t first = out.find_first_not_of(' ');  // names come padded
  if (first == std::string::npos) return {};
  return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

std::vector<uint64_t> Device::sizes(cl_info info) const {
  size_t size = 0;
  if (cl().GetDeviceInfo(id_, info, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::vector<size_t> values(size / sizeof(size_t));
  if (cl().GetDeviceInfo(id_, info, size, values.data(), nullptr) != CL_SUCCESS) return {};
  return {values.begin(), values.end()};
}

void check_same_device(const char *object, const Device &of, const Device &used_with) {
  if (&of == &used_with) return;
  throw nexus_plugin::Error(NXS_InvalidDevice, "the ", object, " is of the device '", of.name(),
                            "' and is used with one of '", used_with.name(),
                            "'; use objects of one device");
}

namespace {

// Processors run what the host runs.
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
    return nexus_plugin::join("sm_", *major, *minor);
  }
  const std::string &name = device.name();  // AMD's may go on: "gfx90a:sramecc+:xnack-"
  if (name.starts_with("gfx")) return name.substr(0, name.find(':'));
  return (device.type() & CL_DEVICE_TYPE_CPU) != 0 ? host_architecture() : "generic";
}

std::string device_identity(const Device &device) {
  return nexus_plugin::join(device.platform().name(), " | ", device.platform().version_text(),
                            " | ", device.name(), " | ",
                            device.text(CL_DEVICE_VERSION).value_or(""), " | ",
                            device.text(CL_DRIVER_VERSION).value_or(""));
}

}  // namespace nexus_opencl
