// SPDX-License-Identifier: Apache-2.0
// Programs of the driver: made from texts, binaries and SPIR-V, built, and asked.
#ifndef NEXUS_OPENCL_PROGRAM_HPP_
#define NEXUS_OPENCL_PROGRAM_HPP_

#include "device.hpp"

namespace nexus_opencl NXS_HIDDEN {

Owned<cl_program> program_from_source(const Device &device, std::string_view source);
// Throws NXS_InvalidBinary where it is none of the device's driver.
Owned<cl_program> program_from_binary(const Device &device, std::string_view binary);
// Throws NXS_InvalidBinary where the device takes no SPIR-V, or not this one.
Owned<cl_program> program_from_spirv(const Device &device, std::string_view module);

// Compiles and links for the device, which may take long. Returns CL_SUCCESS or the driver's error.
cl_int build(const Device &device, cl_program program, const std::string &options);

// The same on a thread of its own, so that the caller need not wait for a compiler that takes too
// long or that nobody wants any more. OpenCL can't end a compiler: where this throws NXS_Cancelled
// (the host's is_interrupted) or NXS_CompilerNotAvailable (after the configured timeout), it goes
// on by itself, and the program is released when it is done.
cl_int build_in_background(const Device &device, const Owned<cl_program> &program,
                           const std::string &options);

// What the compiler said, without the lines that only say that it ran. UTF-8.
std::string build_log(const Device &device, cl_program program);

// The names of its kernels, in alphabetical order.
std::vector<std::string> kernel_names(const Device &device, cl_program program);

// The driver's binary for the device; empty where it gives none.
std::string binary_of(const Device &device, cl_program program);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_PROGRAM_HPP_
