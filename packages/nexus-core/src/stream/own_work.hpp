// SPDX-License-Identifier: Apache-2.0
//
// Work in streams that libnexus does itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "base/wait.hpp"

namespace nexus::core {

/// Counts the copies and calls that finish without the program's help, so that process exit can
/// wait for them. Get it from ofProcess(). Any thread may use it.
class OwnWork {
 public:
  /// Keeps the count above 0, from one part of the work to the next.
  class Hold {
   public:
    Hold();
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;
  };

  void add() noexcept;
  void remove() noexcept;
  /// Waits until at most `except` are counted, or the deadline is reached; returns whether they
  /// are. Throws NXS_Cancelled if the interrupt check ends it.
  bool finish(const Deadline &deadline, std::size_t except);
  /// Returns whether a thread is in finish(): work that may go on for ever has to end.
  bool finishing() const noexcept { return finishing_.load(std::memory_order_relaxed) != 0; }

 private:
  std::mutex mutex_;
  std::condition_variable fewer_;
  std::size_t count_ = 0;  // under mutex_
  std::atomic<int> finishing_{0};
};

}  // namespace nexus::core
