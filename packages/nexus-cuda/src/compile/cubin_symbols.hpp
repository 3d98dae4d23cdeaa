// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_CUBIN_SYMBOLS_HPP_
#define NEXUS_CUDA_CUBIN_SYMBOLS_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// The functions and variables that a cubin defines for others too, and that may be defined once.
// The cubin is whole (why_cut_short).
std::vector<std::string> symbols_defined_by(std::string_view cubin);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CUBIN_SYMBOLS_HPP_
