// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_TURN_HPP_
#define NEXUS_CPU_TURN_HPP_

#include <nexus-api/nxs.h>
#include <mutex>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

// An object that waits for a turn. Notified once, by the run that leaves.
class TurnWaiter {
 public:
  virtual void turn_came() noexcept = 0;

 protected:
  ~TurnWaiter() = default;

 private:
  friend class Turn;
  TurnWaiter *next_ = nullptr;
};

// Serializes the runs of a schedule, first come, first served. Blocks no thread: a stream without
// the turn pauses until it is notified.
class Turn {
 public:
  // Returns whether the caller has the turn now; else notifies waiter when it has.
  bool enter(TurnWaiter &waiter) noexcept {
    const std::lock_guard lock(mutex_);
    if (!taken_) {
      taken_ = true;
      return true;
    }
    waiter.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &waiter;
    last_ = &waiter;
    return false;
  }

  void leave() noexcept {
    TurnWaiter *waiter = nullptr;
    {
      const std::lock_guard lock(mutex_);
      waiter = first_;
      if (waiter == nullptr) {
        taken_ = false;
      } else {
        first_ = std::exchange(waiter->next_, nullptr);
      }
    }
    if (waiter != nullptr) waiter->turn_came();
  }

 private:
  std::mutex mutex_;
  bool taken_ = false;
  TurnWaiter *first_ = nullptr;
  TurnWaiter *last_ = nullptr;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_TURN_HPP_
