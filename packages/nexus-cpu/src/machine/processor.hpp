// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PROCESSOR_HPP_
#define NEXUS_CPU_PROCESSOR_HPP_

#include "system/system_tree.hpp"

#include <nexus-api/nxs.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The processor's description of itself; of cores of several kinds, the largest one. Empty or 0:
// not known.
struct Processor {
  std::string name;                   // the brand
  std::string vendor;                 // "AMD", "Intel", "Apple", "ARM", ...
  std::string architecture;           // as compilers call it, such as "znver4"
  std::string level;                  // what all compilers know, and it surely runs: "x86-64-v3"
  std::vector<std::string> features;  // as LLVM calls them; on Linux for Arm as the system does
  uint64_t simd_lanes = 0;            // of 32 bits
  // Of Arm the part, and the variant in the upper four bits of eight with the revision.
  std::optional<uint64_t> family, model, stepping;
  // MHz, as the processor tells them; the system may know better.
  uint64_t base_clock_mhz = 0, max_clock_mhz = 0;
};

// The tree is what an Arm processor under Linux is read from; others are asked themselves.
Processor read_processor(const SystemTree &tree);

// Returns whether a processor that has the feature would list it.
bool can_tell_feature(std::string_view feature);

// Those of the features that work on vectors, and those that multiply matrices.
std::vector<std::string> vector_extensions(const std::vector<std::string> &features);
std::vector<std::string> matrix_extensions(const std::vector<std::string> &features);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PROCESSOR_HPP_
