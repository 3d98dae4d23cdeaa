// SPDX-License-Identifier: Apache-2.0
// SPIR-V modules, as far as a loader looks at them: whether one is whole, and what its kernels
// take. Drivers describe the kernels of source programs only, and trust what they are given.
#ifndef NEXUS_OPENCL_SPIRV_HPP_
#define NEXUS_OPENCL_SPIRV_HPP_

#include "kernel_description.hpp"

#include <string_view>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

bool is_spirv(std::string_view bytes);

// The kernels of a module. Throws NXS_InvalidBinary where it is cut, damaged, or has none.
std::vector<KernelDescription> read_spirv(std::string_view bytes);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_SPIRV_HPP_
