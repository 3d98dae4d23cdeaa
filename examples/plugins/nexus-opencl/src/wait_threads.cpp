// SPDX-License-Identifier: Apache-2.0
#include "wait_threads.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

struct DriverWait {
  DriverWait(const Functions &functions, Owned<cl_event> awaited, const WakePtr &told)
      : cl(&functions), event(std::move(awaited)), wake(told) {}

  const Functions *cl;
  Owned<cl_event> event;
  WakePtr wake;
  std::unique_ptr<DriverWait> next;
};
using DriverWaitPtr = std::unique_ptr<DriverWait>;

// As many threads as there are waits at a time; those that are idle wait for the next.
class WaitThreads {
 public:
  void take(DriverWaitPtr wait) {
    const std::lock_guard lock(mutex_);
    if (idle_ <= waiting_) std::thread(&WaitThreads::serve, this).detach();
    wait->next = std::move(first_);
    first_ = std::move(wait);
    ++waiting_;
    changed_.notify_one();
  }

 private:
  static void serve(WaitThreads *self) noexcept {
    while (true) {
      const DriverWaitPtr wait = self->next();
      const cl_event event = wait->event.get();
      wait->cl->WaitForEvents(1, &event);
      wait->wake->wake();
    }
  }

  DriverWaitPtr next() noexcept {
    std::unique_lock lock(mutex_);
    ++idle_;
    while (!first_) changed_.wait(lock);
    --idle_;
    --waiting_;
    DriverWaitPtr taken = std::move(first_);
    first_ = std::move(taken->next);
    return taken;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  DriverWaitPtr first_;  // the newest first: the order is of no matter
  unsigned waiting_ = 0;
  unsigned idle_ = 0;
};

// Never destroyed: its threads run until the process ends.
WaitThreads &wait_threads() {
  static WaitThreads *const threads = new WaitThreads;
  return *threads;
}

}  // namespace

bool wake_after_waiting(const Functions &cl, Owned<cl_event> event, const WakePtr &wake) noexcept {
  try {
    wait_threads().take(std::make_unique<DriverWait>(cl, std::move(event), wake));
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

}  // namespace nexus_opencl
