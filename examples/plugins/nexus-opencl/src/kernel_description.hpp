// SPDX-License-Identifier: Apache-2.0
// Descriptions of kernels' arguments, from the driver or from a SPIR-V module: drivers describe the
// kernels of source programs only, and do not check the modules that they are given.
#ifndef NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
#define NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_

#include "device.hpp"

#include <nexus-plugin/kernel.hpp>

namespace nexus_opencl NXS_HIDDEN {

struct KernelDescription {
  std::string name;
  std::vector<ArgumentDescription> arguments;  // without those that are hidden
  // Written with nexus_kernel.h: its last three arguments are the sizes of the grid.
  bool portable = false;
};

// Asks the driver. Nothing where it does not know (programs that were not built from source).
std::optional<KernelDescription> describe_kernel(const Device &device, cl_kernel kernel,
                                                 const std::string &name);

bool is_spirv(std::string_view bytes);
// The kernels of a module. Throws NXS_InvalidBinary where it is cut, damaged, or has none.
std::vector<KernelDescription> read_spirv(std::string_view bytes);

// ---- For both ----

// Where the last arguments are the hidden ones of nexus_kernel.h, takes them off and marks the
// kernel as portable.
void take_hidden_arguments(KernelDescription &kernel);

// The type of an argument by its name in OpenCL C.
struct ArgumentType {
  nxs_data_type data_type = NXS_DataType_Undefined;  // of the value, or of what is pointed to
  uint32_t components = 1;                           // of a vector
};

// name: as clGetKernelArgInfo gives it, such as "float4*" or "nexus_int32".
ArgumentType read_argument_type(std::string_view name);

// The bytes of a value; 0 where the type is not known.
constexpr uint64_t value_size(nxs_data_type type, uint32_t components) {
  return data_type(type).size * (components == 3 ? 4 : components);  // three take the place of four
}

// "float *" for "float*".
std::string shown_type(std::string_view name);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_KERNEL_DESCRIPTION_HPP_
