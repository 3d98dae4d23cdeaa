// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_KERNEL_HPP_
#define NEXUS_OPENCL_KERNEL_HPP_

#include "kernel_description.hpp"

#include <nexus-plugin/kernel/library.hpp>

namespace nexus_opencl NXS_HIDDEN {

// A program that is built for one device. Immutable, so any thread may use it.
class Library : public LibraryFile {
 public:
  // bytes: our container, SPIR-V, a binary of the driver's, or a text in OpenCL C.
  // Throws NXS_InvalidBinary with the reason.
  Library(const Device &device, std::string_view bytes, const std::string &path);

  const Device &device() const noexcept { return *device_; }
  cl_program program() const noexcept { return program_.get(); }
  const std::string &format() const noexcept { return format_; }  // such as "spirv"

  // The names of its kernels, in alphabetical order.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }
  // Returns a kernel's arguments if they are known without the driver; else NULL.
  const KernelDescription *description(std::string_view name) const noexcept;

 private:
  const Device *device_;
  std::string format_;
  std::vector<KernelDescription> descriptions_;
  Owned<cl_program> program_;
  std::vector<std::string> kernel_names_;
};

extern constinit HandleTable<Library, NXS_ObjectType_Library> libraries;

// After its arguments, a kernel that was written with nexus_kernel.h takes the size of the grid in
// x, y and z: three cl_int.
inline constexpr uint32_t kHiddenArguments = 3;

// A function of a library. Immutable, so any thread may use it.
class Kernel {
 public:
  // Throws Error(NXS_InvalidKernelName) with the names that are near.
  Kernel(Ref<Library> library, const std::string &name);

  const Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }

  // Makes a cl_kernel, which carries arguments: only one thread at a time may use it.
  Owned<cl_kernel> make() const;

  // Returns whether the arguments are described. Otherwise only their number is known.
  bool described() const noexcept { return described_; }
  // Without the hidden ones; empty if they are not described.
  std::span<const ArgumentSpec> specs() const noexcept { return specs_; }
  // The number of arguments that the caller gives.
  uint32_t argument_count() const noexcept { return argument_count_; }
  // Returns whether kHiddenArguments follow them.
  bool portable() const noexcept { return portable_; }

  // Empty if the kernel takes any group size.
  const std::optional<Size3> &required_group_size() const noexcept { return required_group_size_; }
  // Work items of a group, at most.
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  // Group sizes should be a multiple of it; at least 1.
  uint64_t preferred_multiple() const noexcept { return preferred_multiple_; }
  uint64_t local_memory() const noexcept { return local_memory_; }      // bytes that it declares
  uint64_t private_memory() const noexcept { return private_memory_; }  // bytes of a work item

 private:
  void read_arguments(cl_kernel kernel);
  void read_limits(cl_kernel kernel);

  Ref<Library> library_;  // keeps the code
  std::string name_;
  KernelDescription description_;  // keeps the texts of specs_
  bool described_ = false, portable_ = false;
  uint32_t argument_count_ = 0;
  std::vector<ArgumentSpec> specs_;
  std::optional<Size3> required_group_size_;
  uint64_t max_group_items_ = 1, preferred_multiple_ = 1, local_memory_ = 0, private_memory_ = 0;
};

extern constinit HandleTable<Kernel, NXS_ObjectType_Kernel> kernels;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_HPP_
