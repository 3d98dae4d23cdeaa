// SPDX-License-Identifier: Apache-2.0
// What is known of the arguments of a kernel.
#ifndef NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
#define NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_

#include "device.hpp"

#include <nexus-plugin/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::ArgumentDescription;

struct KernelDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;  // without those that are hidden
  // Written with nexus_kernel.h: its last three arguments are the sizes of the grid.
  bool portable = false;
};

// Asks the driver; nothing where it does not know (programs that were not built from source).
std::optional<KernelDescription> describe_kernel(const Device &device, cl_kernel kernel,
                                                 const std::string &name);

// Where the last arguments are the hidden ones of nexus_kernel.h, takes them off and marks the
// kernel as portable.
void take_hidden_arguments(KernelDescription &kernel);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
