// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_BUILD_JOB_HPP_
#define NEXUS_OPENCL_BUILD_JOB_HPP_

#include "device.hpp"

#include <string>

namespace nexus_opencl NXS_HIDDEN {

// Builds a program as build() does, on a thread of its own, so that the caller need not wait for a
// compiler that takes too long or that nobody wants any more. OpenCL can't end a compiler: where
// this throws NXS_Cancelled (the host's is_interrupted) or NXS_CompilerNotAvailable (after the
// configured timeout), it goes on by itself, and the program is released when it is done.
cl_int build_in_background(const Device &device, cl_program program, const std::string &options);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_BUILD_JOB_HPP_
