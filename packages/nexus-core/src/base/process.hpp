// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the process as a whole: its generation, which a fork changes,
// and the one lock that a fork takes care of.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace nexus::core {

/// 1 in the process that loaded libnexus, one more in the child of each fork().
/// An object remembers the generation of its making; where that is not this one,
/// its backend's threads and its driver's state did not come along. Costs one load.
uint64_t processGeneration() noexcept;

/// Throws NXS_InvalidOperation where generation is of before a fork(). what names the thing:
/// "buffer".
void requireSameProcess(uint64_t generation, const char *what);

/// The one T of this process: made at first use, never freed, and made anew in the child of a
/// fork(), which has none of the threads and an unknown state of the locks.
template <typename T>
T &ofProcess() {
  struct Made {
    T thing;
    uint64_t generation = processGeneration();
  };
  static std::atomic<Made *> present{nullptr};
  Made *made = present.load(std::memory_order_acquire);
  while (made == nullptr || made->generation != processGeneration()) {
    auto fresh = std::make_unique<Made>();
    if (present.compare_exchange_weak(made, fresh.get(), std::memory_order_acq_rel)) {
      made = fresh.release();
    }
  }
  return made->thing;
}

/// Guards the small tables of the process (configuration, error records, log sink,
/// names). Innermost: nobody who holds it takes a lock, calls a plug-in or a
/// callback, or waits. fork() holds it, so that a child finds the tables whole.
std::mutex &tableMutex() noexcept;

}  // namespace nexus::core
