// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_RUN_LOCK_HPP_
#define NEXUS_CPU_RUN_LOCK_HPP_

#include <nexus-api/nxs.h>
#include <mutex>

namespace nexus_cpu NXS_HIDDEN {

// Lets one run of a schedule proceed at a time, in order of arrival. Blocks no thread: a run that
// has to wait for the lock gets a callback when it has it.
class RunLock {
 public:
  struct Waiter {
    void (*proceed)(Waiter &waiter) noexcept = nullptr;
    Waiter *next = nullptr;  // used by the lock
  };

  // Returns whether the caller has the lock now. If not, waiter.proceed() is called once it has.
  bool acquire(Waiter &waiter) noexcept;
  void release() noexcept;

 private:
  std::mutex mutex_;
  bool taken_ = false;
  Waiter *first_ = nullptr;
  Waiter *last_ = nullptr;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RUN_LOCK_HPP_
