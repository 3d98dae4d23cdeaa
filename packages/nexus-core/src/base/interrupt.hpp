// SPDX-License-Identifier: Apache-2.0
//
// Ending a wait from outside, such as by Ctrl-C.
#pragma once

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

}  // namespace nexus::core
