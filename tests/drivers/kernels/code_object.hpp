// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CODE_OBJECT_HPP_
#define NEXUS_SIMULATED_CODE_OBJECT_HPP_

#include "described_kernel.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace simulated_kernels {

// What code looks like code for: a target of AMD's.
struct AmdTarget {
  std::string name;    // "gfx90a:xnack-"
  uint32_t flags;      // of the ELF file
  uint32_t wave_size;  // 64 or 32
};

// A code object of version 5 with the metadata of kernels, the variables in which they describe
// themselves, and the code that really runs in a section of its own.
std::string code_object_of(const std::vector<DescribedKernel> &described, const std::string &code,
                           const AmdTarget &target);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_CODE_OBJECT_HPP_
