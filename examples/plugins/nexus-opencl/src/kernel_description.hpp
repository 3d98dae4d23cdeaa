// SPDX-License-Identifier: Apache-2.0
// Descriptions of kernels' arguments, from the driver or from a SPIR-V module: drivers describe the
// kernels of source programs only, and do not check the modules that they are given.
#ifndef NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
#define NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_

#include "device.hpp"

#include <nexus-plugin/kernel/kernel.hpp>

namespace nexus_opencl NXS_HIDDEN {

struct KernelDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;  // without those that are hidden
  // Written with nexus_kernel.h: its last three arguments are the sizes of the grid.
  bool portable = false;
};

// Asks the driver. Returns nothing if it does not know, as for programs that were not built from
// source.
std::optional<KernelDescription> describe_kernel(const Device &device, cl_kernel kernel,
                                                 const std::string &name);

bool is_spirv(std::string_view bytes);
// Returns the kernels of a module. Throws NXS_InvalidBinary if it is cut, damaged, or has none.
std::vector<KernelDescription> read_spirv(std::string_view bytes);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
