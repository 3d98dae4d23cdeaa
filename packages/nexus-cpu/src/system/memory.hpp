// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_MEMORY_HPP_
#define NEXUS_CPU_MEMORY_HPP_

#include "system/system_tree.hpp"

#include <cstdint>
#include <optional>

namespace nexus_cpu NXS_HIDDEN {

// The main memory at the time of asking.
struct MemoryState {
  uint64_t total = 0;            // bytes; 0: not known
  std::optional<uint64_t> free;  // bytes that programs can get without others losing theirs

  std::optional<uint64_t> used() const;          // bytes
  std::optional<uint64_t> used_percent() const;  // rounded
};

MemoryState read_memory(const SystemTree &tree);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_MEMORY_HPP_
