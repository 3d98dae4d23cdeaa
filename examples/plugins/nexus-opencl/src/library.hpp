// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_LIBRARY_HPP_
#define NEXUS_OPENCL_LIBRARY_HPP_

#include "device.hpp"
#include "kernel_description.hpp"

#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/library.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// A program that is built for one device. Immutable, so any thread may use it.
class Library : public nexus_plugin::LibraryFile {
 public:
  // bytes: our container, SPIR-V, a binary of the driver's, or a text in OpenCL C.
  // Throws NXS_InvalidBinary with the reason.
  Library(const Device &device, std::string_view bytes, const std::string &path);

  const Device &device() const noexcept { return *device_; }
  cl_program program() const noexcept { return program_.get(); }
  const std::string &format() const noexcept { return format_; }  // such as "spirv"

  // The names of its kernels, in alphabetical order.
  const std::vector<std::string> &kernel_names() const noexcept { return kernel_names_; }
  // What is known of a kernel's arguments without asking the driver; NULL where nothing is.
  const KernelDescription *description(std::string_view name) const noexcept;

 private:
  const Device *device_;
  std::string format_;
  std::vector<KernelDescription> descriptions_;
  Owned<cl_program> program_;
  std::vector<std::string> kernel_names_;
};

extern constinit nexus_plugin::HandleTable<Library, NXS_ObjectType_Library> libraries;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_LIBRARY_HPP_
