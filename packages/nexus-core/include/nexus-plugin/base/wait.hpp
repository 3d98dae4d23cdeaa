// SPDX-License-Identifier: Apache-2.0
// Waits for changes that other threads make without a lock.
#ifndef NEXUS_PLUGIN_WAIT_HPP_
#define NEXUS_PLUGIN_WAIT_HPP_

#include <nexus-api/nxs.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {

// The thread that makes a change stores with memory_order_seq_cst and then calls notify(), which
// costs one load while nobody waits. The condition of the waiting thread loads the same variables
// with memory_order_seq_cst: either it sees the change, or the other thread sees the waiter.
class WaitPoint {
 public:
  // An hour. Much larger numbers would overflow clocks, and hosts repeat their waits.
  static constexpr uint64_t kLongest = UINT64_C(3600) * 1000 * 1000 * 1000;

  void notify() noexcept {
    if (waiters_.load(std::memory_order_seq_cst) == 0) return;
    // A waiter holds the mutex between its check and its sleep; locking waits until it sleeps.
    {
      const std::lock_guard lock(mutex_);
    }
    changed_.notify_all();
  }

  // Waits until the condition holds or timeout nanoseconds have passed, at most kLongest. Returns
  // whether it holds. The condition must take no lock and not throw.
  template <class Condition>
  bool wait(uint64_t timeout, Condition &&condition) {
    if (condition()) return true;
    if (timeout == 0) return false;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(timeout, kLongest));
    std::unique_lock lock(mutex_);
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    bool held = condition();
    while (!held && changed_.wait_until(lock, end) == std::cv_status::no_timeout) {
      held = condition();
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);
    return held || condition();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint32_t> waiters_{0};
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_WAIT_HPP_
