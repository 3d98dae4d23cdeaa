// SPDX-License-Identifier: Apache-2.0
//
// Waits in parts: every wait of libnexus is bounded and repeated. The interrupt check runs in
// between, so Ctrl-C ends it.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/interrupt.hpp"

namespace nexus::core {

/// Throws NXS_Timeout. what begins the text: "The stream" in "The stream did not finish within 20
/// ms".
[[noreturn]] void throwTimeout(const char *what, uint64_t timeout);

/// Wakes the queues that this thread was about to wake when it called the user's code, since that
/// code now waits, perhaps for them.
void wakePending() noexcept;

/// Whether the interrupt check may end a wait.
enum class Interrupt { Allowed, Ignored };

class Deadline {
 public:
  /// timeout: nanoseconds from now; UINT64_MAX for no limit.
  explicit Deadline(uint64_t timeout) : timeout_(timeout) {
    if (timeout != UINT64_MAX) begin_ = std::chrono::steady_clock::now();
  }

  /// Returns the nanoseconds left, 0 when it has passed.
  uint64_t left() const {
    if (timeout_ == UINT64_MAX) return UINT64_MAX;
    const auto passed = static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count());
    return passed >= timeout_ ? 0 : timeout_ - passed;
  }
  uint64_t timeout() const noexcept { return timeout_; }

 private:
  uint64_t timeout_;
  std::chrono::steady_clock::time_point begin_{};
};

/// Repeats part(nanoseconds), which waits at most that long and returns whether it has succeeded,
/// until it has. The caller must hold no lock. Throws NXS_Timeout and NXS_Cancelled. what begins
/// the text: "The stream".
template <typename Part>
void waitInParts(const char *what, const Deadline &deadline, Interrupt interrupt, Part &&part) {
  wakePending();
  uint64_t left = deadline.left();
  while (!part(left < kWaitSlice ? left : kWaitSlice)) {
    if (interrupt == Interrupt::Allowed) {
      checkInterrupt();
    }
    left = deadline.left();
    if (left == 0) {
      throwTimeout(what, deadline.timeout());
    }
  }
}

}  // namespace nexus::core
