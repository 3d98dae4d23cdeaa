// SPDX-License-Identifier: Apache-2.0
#if !defined(__x86_64__) && !defined(__APPLE__)

#include "machine/arm_processors.hpp"
#include "machine/processor.hpp"

namespace nexus_cpu NXS_HIDDEN {

Processor read_processor(const SystemTree &tree) {
  Processor out = read_arm_processor(tree);
  // Without /proc and /sys, and on others than Arm, what this was compiled for is known.
#if defined(__aarch64__)
  if (out.level.empty()) out.level = "armv8-a";
  out.simd_lanes = 4;
#elif defined(__riscv)
  if (out.level.empty()) out.level = "rv64";
#endif
  if (out.architecture.empty()) out.architecture = out.level;
  return out;
}

// The system lists all that it lets programs use.
bool can_tell_feature(std::string_view) {
  return true;
}

}  // namespace nexus_cpu

#endif  // !__x86_64__ && !__APPLE__
