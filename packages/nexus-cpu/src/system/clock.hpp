// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_CLOCK_HPP_
#define NEXUS_CPU_CLOCK_HPP_

#include <nexus-api/nxs.h>
#include <chrono>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// Nanoseconds of the clock that never goes back.
inline uint64_t now_ns() noexcept {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CLOCK_HPP_
