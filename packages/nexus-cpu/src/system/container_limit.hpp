// SPDX-License-Identifier: Apache-2.0
// The limits that control groups (cgroups, version 1 and 2) set for this process. A limit
// holds for the groups inside, so the smallest counts.
#ifndef NEXUS_CPU_CONTAINER_LIMIT_HPP_
#define NEXUS_CPU_CONTAINER_LIMIT_HPP_

#include "system/system_tree.hpp"

#include <cstdint>
#include <optional>

namespace nexus_cpu NXS_HIDDEN {

// The processors' worth of time; nothing where there is no limit.
std::optional<double> processor_time_limit(const SystemTree &tree);

// Bytes; nothing where there is no limit.
std::optional<uint64_t> memory_limit(const SystemTree &tree);

// processor_time_limit() rounded up; 0 where there is no limit.
unsigned container_limit(const SystemTree &tree);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTAINER_LIMIT_HPP_
