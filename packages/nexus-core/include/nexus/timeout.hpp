// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_TIMEOUT_HPP_
#define NEXUS_TIMEOUT_HPP_

#include <nexus/nexus_c.h>

#include <chrono>
#include <cstdint>

namespace nexus {

/// How long a call may wait. Negative values count as zero.
using Timeout = std::chrono::nanoseconds;

/// A wait without a limit.
inline constexpr Timeout forever = Timeout::max();

namespace detail {

constexpr std::uint64_t toNanoseconds(Timeout timeout) noexcept {
  if (timeout == forever) {
    return NEXUS_FOREVER;
  }
  return timeout.count() < 0 ? 0 : static_cast<std::uint64_t>(timeout.count());
}

}  // namespace detail
}  // namespace nexus

#endif  // NEXUS_TIMEOUT_HPP_
