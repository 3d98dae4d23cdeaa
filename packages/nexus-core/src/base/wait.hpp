// SPDX-License-Identifier: Apache-2.0
//
// Waits with a deadline, and their end from outside, such as by Ctrl-C.
#pragma once

#include <chrono>
#include <cstdint>

namespace nexus::core {

/// The longest time in nanoseconds that a wait goes on without the interrupt check.
inline constexpr uint64_t kWaitSlice = 50'000'000;

/// While one exists, a plug-in's call on this thread can be interrupted: isInterrupted() runs the
/// interrupt check. They nest, since a handler that the check runs may call libnexus.
class Interruptible {
 public:
  Interruptible() noexcept;
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

  /// Throws NXS_Cancelled if isInterrupted() has returned true, whatever the plug-in returned.
  void check() const;

 private:
  int outer_;
};

/// Returns whether this thread's innermost Interruptible was interrupted; false without one. Once
/// true it stays so, without running the check again. The caller must hold no lock.
bool isInterrupted() noexcept;

/// Runs the function of nexus_set_interrupt_check on this thread. Throws NXS_Cancelled if it says
/// so. The caller must hold no lock.
void checkInterrupt();

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
