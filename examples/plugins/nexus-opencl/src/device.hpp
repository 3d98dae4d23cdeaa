// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_DEVICE_HPP_
#define NEXUS_OPENCL_DEVICE_HPP_

#include "platform.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/kernel/launch.hpp>

namespace nexus_opencl NXS_HIDDEN {

// A device of a platform. Immutable, so any thread may use it; lives as long as the process.
class Device {
 public:
  // platform outlives this.
  Device(Platform &platform, cl_device_id id);

  Platform &platform() const noexcept { return *platform_; }
  const Functions &cl() const noexcept { return platform_->cl(); }
  cl_device_id id() const noexcept { return id_; }
  cl_context context() const { return platform_->context(); }

  const std::string &name() const noexcept { return name_; }
  int version() const noexcept { return version_; }      // major * 10 + minor
  int c_version() const noexcept { return c_version_; }  // newest OpenCL C, likewise
  cl_device_type type() const noexcept { return type_; }
  bool has(std::string_view extension) const { return has_word(extensions_, extension); }
  const std::string &extensions() const noexcept { return extensions_; }

  // Work items of a group, at most, together and in each dimension.
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  uint64_t max_buffer_size() const noexcept { return max_buffer_size_; }      // bytes
  uint64_t offset_alignment() const noexcept { return offset_alignment_; }    // bytes
  uint64_t local_memory_size() const noexcept { return local_memory_size_; }  // bytes

  // 32-bit lanes of one instruction: the width of a subgroup, or a processor's vectors. 0: unknown.
  uint64_t simd_size() const;
  std::vector<size_t> subgroup_sizes() const;  // all that can be chosen; empty: unknown
  uint64_t core_memory_size() const;           // bytes of local memory that is not global memory
  std::optional<cl_device_pci_bus_info_khr> pci_address() const;

  bool works_in_host_memory() const;  // kernels use the host's own memory, without a copy
  bool has_shared_memory() const;     // of fine grain: host and device use it at the same time
  bool has_priorities() const;        // of queues

  bool has_compiler() const noexcept { return has_compiler_; }
  bool takes_spirv() const noexcept { return !il_version_.empty(); }
  const std::string &il_version() const noexcept { return il_version_; }

  // Return the driver's answer; nothing if it does not know the question.
  std::optional<std::string> text(cl_info info) const;  // nothing for an empty text too
  template <class Number>
  std::optional<Number> number(cl_info info) const {
    Number value{};
    size_t size = 0;
    if (cl().GetDeviceInfo(id_, info, sizeof(value), &value, &size) != CL_SUCCESS ||
        size != sizeof(value)) {
      return std::nullopt;
    }
    return value;
  }
  template <class Element>
  std::vector<Element> list(cl_info info) const {
    std::vector<Element> all;
    if (read_list(all, cl().GetDeviceInfo, id_, info) != CL_SUCCESS) all.clear();
    return all;
  }

 private:
  void read_compilers();
  void read_limits();

  Platform *platform_;
  cl_device_id id_;
  std::string name_, extensions_, il_version_;
  int version_ = 0, c_version_ = 0;
  cl_device_type type_ = 0;
  uint64_t max_group_items_ = 1;
  Size3 max_group_size_{1, 1, 1};
  uint64_t max_buffer_size_ = 0, offset_alignment_ = 1, local_memory_size_ = 0;
  bool has_compiler_ = false;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;

// Objects keep a reference to the device without a Ref, as devices are never released.
// Throws NXS_InvalidDevice.
inline const Device &device_of(nxs_id id) {
  return *devices.pin(id);
}

// Returns the architecture in the words of the vendor's compiler, such as "sm_90", "gfx90a" or
// "x86-64"; "generic" if OpenCL does not report it.
std::string architecture_of(const Device &device);

// The languages that programs for a device with a compiler can be written in.
inline std::vector<std::string> compile_languages() {
  return {"nexus", "opencl"};
}

// The platform, device and driver with their versions: a driver's binary fits no others.
std::string device_identity(const Device &device);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_DEVICE_HPP_
