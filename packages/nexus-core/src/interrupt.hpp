// SPDX-License-Identifier: Apache-2.0
//
// How a wait can be ended from outside, such as by Ctrl-C.
#pragma once

#include <cstdint>

namespace nexus::core {

/// The longest that a wait goes on without asking the interrupt check, in nanoseconds.
inline constexpr uint64_t kWaitSlice = 50'000'000;

/// Asks the function of nexus_set_interrupt_check, on this thread. Throws
/// NXS_Cancelled where it says so. Hold no lock.
void checkInterrupt();

}  // namespace nexus::core
