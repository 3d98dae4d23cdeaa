// SPDX-License-Identifier: Apache-2.0
#include "execution/run_lock.hpp"

#include <utility>

namespace nexus_cpu NXS_HIDDEN {

bool RunLock::acquire(Waiter &waiter) noexcept {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(taken_, true)) return true;
  waiter.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &waiter;
  last_ = &waiter;
  return false;
}

void RunLock::release() noexcept {
  Waiter *next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    next = first_;
    if (next == nullptr) {
      taken_ = false;
    } else {
      first_ = next->next;
    }
  }
  if (next != nullptr) next->proceed(*next);
}

}  // namespace nexus_cpu
