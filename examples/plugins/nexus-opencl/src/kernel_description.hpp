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

// The type of an argument by its name in OpenCL C.
struct ArgumentType {
  nxs_data_type data_type = NXS_DataType_Undefined;  // of the value, or of what is pointed to
  uint32_t components = 1;                           // of a vector
  uint64_t size = 0;  // bytes of the whole value; 0 where the name says nothing of it
};

// name: as clGetKernelArgInfo gives it, such as "float4*" or "nexus_int32".
ArgumentType read_argument_type(std::string_view name);

// "float *" for "float*".
std::string shown_type(std::string_view name);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
