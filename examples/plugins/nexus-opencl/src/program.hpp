// SPDX-License-Identifier: Apache-2.0
// Programs of the driver: made from texts, built, and asked.
#ifndef NEXUS_OPENCL_PROGRAM_HPP_
#define NEXUS_OPENCL_PROGRAM_HPP_

#include "device.hpp"

namespace nexus_opencl NXS_HIDDEN {

Owned<cl_program> program_from_source(const Device &device, std::string_view source);

// Compiles and links for the device, which may take long. Returns CL_SUCCESS or the driver's error.
cl_int build(const Device &device, cl_program program, const std::string &options);

// Returns the compiler's log in UTF-8, without lines that only say that it ran.
std::string build_log(const Device &device, cl_program program);

// The names of its kernels, in alphabetical order.
std::vector<std::string> kernel_names(const Device &device, cl_program program);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_PROGRAM_HPP_
