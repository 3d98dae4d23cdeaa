// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_COMPILER_HPP_
#define NEXUS_SIMULATED_METAL_COMPILER_HPP_

#include "host_compiler.hpp"

#include <string>
#include <vector>

namespace simulated_kernels {

// Compiles a program in Metal's language for the host: with metal_stdlib of tests/dialects, no
// other header, entries behind it, and variables in threadgroup memory made static. Not known:
// functions that threads of a SIMD group share, textures, half precision, function constants.
// options: -D. Of the result only well, log and object are set; the log is in the form of Metal.
Compiled compile_metal(const std::string &source, const std::vector<std::string> &options);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_METAL_COMPILER_HPP_
