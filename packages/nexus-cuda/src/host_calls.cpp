// SPDX-License-Identifier: Apache-2.0
#include "host_calls.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <nexus-plugin/thread.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// So often it is looked whether the stream of a call has failed, which the driver does not tell.
constexpr std::chrono::milliseconds kLookForFailures{20};

// The calls that are to be made, in the order in which they were enqueued, and their thread.
class HostCalls {
 public:
  void add(const HostCallPtr &call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    if (!started_) nexus_plugin::start_thread(&HostCalls::serve, this).detach();
    started_ = true;
    changed_.notify_one();  // from now on it looks for failures
  }

  void remove(const HostCallPtr &call) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(calls_, [&](const HostCallPtr &each) { return each.get() == call.get(); });
  }

  void fall_due(HostCall &call) noexcept {
    const std::lock_guard lock(mutex_);
    call.due.store(true, std::memory_order_release);
    changed_.notify_one();
  }

 private:
  static void serve(HostCalls *self) noexcept {
    while (true) make(*self->next());
  }

  static void make(HostCall &call) noexcept {
    Tickets &tickets = call.stream->tickets();
    call.callback(call.context, nexus_plugin::status_of(tickets.cause_to_come()));
    call.condition->returned();
    tickets.poll(tickets.completion().last());
    tickets.bell()->ring();
  }

  HostCallPtr next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto due = std::find_if(calls_.begin(), calls_.end(), [](const HostCallPtr &call) {
        return call->due.load(std::memory_order_acquire);
      });
      if (due != calls_.end()) {
        HostCallPtr found = *due;
        calls_.erase(due);
        return found;
      }
      if (calls_.empty()) {
        changed_.wait(lock);
      } else if (changed_.wait_for(lock, kLookForFailures) == std::cv_status::timeout) {
        look_for_failures(lock);
      }
    }
  }

  // Those of failed streams are due. The streams are asked without the lock.
  void look_for_failures(std::unique_lock<std::mutex> &lock) noexcept {
    const std::deque<HostCallPtr> all = calls_;
    lock.unlock();
    for (const HostCallPtr &call : all) {
      if (call->stream->tickets().cause()) call->due.store(true, std::memory_order_release);
    }
    lock.lock();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HostCallPtr> calls_;
  bool started_ = false;
};

// Never destroyed: the driver calls until the process ends.
HostCalls &host_calls() {
  static HostCalls *const made = new HostCalls;
  return *made;
}

// Called by the driver, on a thread of its own.
void tell(void *user) {
  const std::unique_ptr<HostCallPtr> call(static_cast<HostCallPtr *>(user));
  host_calls().fall_due(**call);
}

}  // namespace

void enqueue_host_call(Enqueuing &work, const HostCallPtr &call) {
  auto told = std::make_unique<HostCallPtr>(call);
  host_calls().add(call);
  work.check(cu.LaunchHostFunc(work.stream, tell, told.get()), "enqueuing a host callback");
  static_cast<void>(told.release());
}

void cancel_host_call(const HostCallPtr &call) noexcept {
  host_calls().remove(call);
}

}  // namespace nexus_cuda
