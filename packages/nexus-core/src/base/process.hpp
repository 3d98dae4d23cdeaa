// SPDX-License-Identifier: Apache-2.0
//
// State of the process as a whole: its generation, which a fork() changes, and the one lock that is
// safe across a fork().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace nexus::core {

/// Returns 1 in the process that loaded libnexus, and one more in the child of each fork(). An
/// object remembers the generation in which it was made; in another one, its backend's threads and
/// its driver's state are missing. Costs one load.
uint64_t processGeneration() noexcept;

/// Returns the process' single T: made at first use, never freed, and made anew in the child of a
/// fork(), which has none of its threads and where its locks are in an unknown state.
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

/// Guards the small tables of the process (configuration, error records, log sink, names).
/// Innermost: its holder takes no lock, calls no plug-in and no callback, and does not wait. fork()
/// holds it, so that a child finds consistent tables.
std::mutex &tableMutex() noexcept;

}  // namespace nexus::core
