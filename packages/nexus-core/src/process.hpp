// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the process as a whole: its generation, which a fork changes,
// and the one lock that a fork takes care of.
#pragma once

#include <cstdint>
#include <mutex>

namespace nexus::core {

/// 1 in the process that loaded libnexus, one more in the child of each fork().
/// An object remembers the generation of its making; where that is not this one,
/// its backend's threads and its driver's state did not come along. Costs one load.
uint64_t processGeneration() noexcept;

/// Throws NXS_InvalidOperation where generation is of before a fork(). what names the thing:
/// "buffer".
void requireSameProcess(uint64_t generation, const char *what);

/// Guards the small tables of the process (configuration, error records, log sink,
/// names). Innermost: nobody who holds it takes a lock, calls a plug-in or a
/// callback, or waits. fork() holds it, so that a child finds the tables whole.
std::mutex &tableMutex() noexcept;

}  // namespace nexus::core
