// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PROCESSOR_HPP_
#define NEXUS_CPU_PROCESSOR_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct Cache {
  std::string name;  // "L1", "L2", ...
  uint64_t size;     // bytes of one
  uint64_t count;    // how many there are; 0 where that is not known
};

// What the processor and the system say of themselves. Empty or 0: not known.
struct Processor {
  std::string name;                   // the brand
  std::string vendor;                 // "AMD", "Intel", "Apple", "ARM", ...
  std::string architecture;           // as compilers call it, such as "znver4"
  std::string level;                  // what all compilers know, and it surely runs: "x86-64-v3"
  std::vector<std::string> features;  // as LLVM calls them
  uint64_t cores = 0;
  uint64_t threads = 0;
  uint64_t simd_lanes = 0;  // of 32 bits
  uint64_t cache_line = 0;  // bytes
  uint64_t memory = 0;      // bytes
  uint64_t max_clock_mhz = 0;
  uint64_t base_clock_mhz = 0;
  std::vector<Cache> caches;  // for data, the smallest first
};

Processor read_processor();

// The parts of it that depend on the instruction set.
struct InstructionSet {
  std::string name;
  std::string vendor;
  std::string architecture;
  std::string level;
  std::vector<std::string> features;
  uint64_t simd_lanes = 0;
};
InstructionSet read_instruction_set();

// Whether a processor that has the feature would list it.
bool can_tell_feature(std::string_view feature);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PROCESSOR_HPP_
