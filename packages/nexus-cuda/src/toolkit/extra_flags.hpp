// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_EXTRA_FLAGS_HPP_
#define NEXUS_CUDA_EXTRA_FLAGS_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Flags that a user gives in the compiler's words, one with its value each. Refused are those that
// name what the backend names itself, and those that make the compiler read or write other files.
// Throws NXS_InvalidCompilerOptions.
std::vector<std::string> read_extra_flags(const std::vector<std::string_view> &flags);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EXTRA_FLAGS_HPP_
