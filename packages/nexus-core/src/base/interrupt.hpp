// SPDX-License-Identifier: Apache-2.0
//
// How a wait can be ended from outside, such as by Ctrl-C.
#pragma once

#include <cstdint>

namespace nexus::core {

/// The longest that a wait goes on without asking the interrupt check, in nanoseconds.
inline constexpr uint64_t kWaitSlice = 50'000'000;

/// Within its life a call of a plug-in on this thread can be ended early: isInterrupted() asks the
/// interrupt check. One may lie within another's check, whose handler calls libnexus too.
class Interruptible {
 public:
  Interruptible() noexcept;
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

  /// Throws NXS_Cancelled where isInterrupted() has said so: whatever the plug-in made of it.
  void check() const;

 private:
  int outer_;
};

/// Whether this thread's Interruptible is to end; false where it has none. From then on it stays
/// so, without the check being asked. Hold no lock.
bool isInterrupted() noexcept;

/// Asks the function of nexus_set_interrupt_check, on this thread. Throws
/// NXS_Cancelled where it says so. Hold no lock.
void checkInterrupt();

}  // namespace nexus::core
