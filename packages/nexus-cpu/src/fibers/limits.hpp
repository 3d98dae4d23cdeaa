// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_LIMITS_HPP_
#define NEXUS_CPU_LIMITS_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

inline constexpr uint64_t kMaxGroupItems = 4096;
inline constexpr uint64_t kMaxLaunchSize = 0x7fffffff;  // work items per dimension: ids are int
inline constexpr uint64_t kMaxGroups = uint64_t{1} << 62;
inline constexpr uint64_t kMaxLocalMemory = uint64_t{1} << 20;  // bytes of one group

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_LIMITS_HPP_
