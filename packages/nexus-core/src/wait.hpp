// SPDX-License-Identifier: Apache-2.0
//
// Waiting in parts: every wait of libnexus is bounded and repeated, with the
// interrupt check between, which is how Ctrl-C ends it.
#pragma once

#include <chrono>
#include <cstdint>

#include "interrupt.hpp"

namespace nexus::core {

/// Throws NXS_Timeout. what completes "... did not finish within": "The stream".
[[noreturn]] void throwTimeout(const char *what, uint64_t timeout);

/// Whether the interrupt check may end a wait.
enum class Interrupt { Allowed, Ignored };

/// Repeats part(nanoseconds), which waits so long at most and says whether the
/// thing waited for has come, until it has. timeout in nanoseconds, UINT64_MAX
/// without end. The caller holds no lock. Throws NXS_Timeout and NXS_Cancelled.
template <typename Part>
void waitInParts(const char *what, uint64_t timeout, Interrupt interrupt, Part &&part) {
  if (part(timeout < kWaitSlice ? timeout : kWaitSlice)) {
    return;
  }
  const auto begin = std::chrono::steady_clock::now() -
                     std::chrono::nanoseconds(timeout < kWaitSlice ? timeout : kWaitSlice);
  while (true) {
    if (interrupt == Interrupt::Allowed) {
      checkInterrupt();
    }
    const auto passed = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                             begin)
            .count());
    if (passed >= timeout) {
      throwTimeout(what, timeout);
    }
    const uint64_t left = timeout - passed;
    if (part(left < kWaitSlice ? left : kWaitSlice)) {
      return;
    }
  }
}

}  // namespace nexus::core
