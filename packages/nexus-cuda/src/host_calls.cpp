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
#include <vector>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// So often it is looked whether the stream of a call has failed, which the driver does not tell.
constexpr std::chrono::milliseconds kLookForFailures{20};
// And so often whether threads have ended what the device's part of is done.
constexpr std::chrono::microseconds kLookForCopies{200};

// The calls that are to be made, in the order in which they were enqueued, and their thread.
class HostCalls {
  using Clock = std::chrono::steady_clock;

 public:
  void add(const HostCallPtr &call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    if (!started_) nexus_plugin::start_thread(&HostCalls::serve, this).detach();
    started_ = true;
    changed();  // from now on it looks for failures
  }

  void remove(const HostCallPtr &call) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(calls_, [&](const HostCallPtr &each) { return each.get() == call.get(); });
  }

  void commit(HostCall &call) noexcept {
    const std::lock_guard lock(mutex_);
    call.committed = true;
    if (call.due.load(std::memory_order_acquire)) changed();
  }

  void fall_due(HostCall &call) noexcept {
    const std::lock_guard lock(mutex_);
    call.due.store(true, std::memory_order_release);
    changed();
  }

 private:
  void changed() noexcept {
    ++changes_;
    changed_.notify_one();
  }

  static void serve(HostCalls *self) noexcept {
    while (true) make(*self->next());
  }

  static void make(HostCall &call) noexcept {
    call.callback(call.context, nexus_plugin::status_of(call.cause));
    call.condition->returned();
    Tickets &tickets = call.stream->tickets();
    tickets.poll(tickets.completion().last());
    tickets.bell()->ring();
  }

  HostCallPtr next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const uint64_t seen = changes_;
      const auto has_changed = [&] { return changes_ != seen; };
      const std::vector<HostCallPtr> due = first_due();
      if (HostCallPtr ready = take_ready(due, lock)) return ready;
      if (Clock::now() >= looked_ + kLookForFailures) look_for_failures(lock);
      if (calls_.empty()) {
        changed_.wait(lock, has_changed);
      } else if (!due.empty()) {
        changed_.wait_for(lock, kLookForCopies, has_changed);
      } else {
        changed_.wait_until(lock, looked_ + kLookForFailures, has_changed);
      }
    }
  }

  // Of each stream the first call, where that is due.
  std::vector<HostCallPtr> first_due() const {
    std::vector<HostCallPtr> found;
    std::vector<const Stream *> asked;
    for (const HostCallPtr &call : calls_) {
      const Stream *stream = call->stream.get();
      if (std::find(asked.begin(), asked.end(), stream) != asked.end()) continue;
      asked.push_back(stream);
      if (call->committed && call->due.load(std::memory_order_acquire)) found.push_back(call);
    }
    return found;
  }

  // Takes out the first of them that has nothing before it which threads still do; empty where none
  // is so. The streams are asked without the lock.
  HostCallPtr take_ready(const std::vector<HostCallPtr> &due,
                         std::unique_lock<std::mutex> &lock) noexcept {
    if (due.empty()) return {};
    lock.unlock();
    const auto ready = std::find_if(due.begin(), due.end(), [](const HostCallPtr &call) {
      return call->stream->tickets().settled(call->behind, &call->cause);
    });
    lock.lock();
    if (ready == due.end()) return {};
    std::erase_if(calls_, [&](const HostCallPtr &each) { return each.get() == ready->get(); });
    return *ready;
  }

  // Those of failed streams are due. The streams are asked without the lock.
  void look_for_failures(std::unique_lock<std::mutex> &lock) noexcept {
    const std::deque<HostCallPtr> all = calls_;
    lock.unlock();
    bool found = false;
    for (const HostCallPtr &call : all) {
      if (!call->stream->tickets().cause()) continue;
      if (!call->due.exchange(true, std::memory_order_acq_rel)) found = true;
    }
    lock.lock();
    looked_ = Clock::now();
    if (found) changed();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<HostCallPtr> calls_;
  uint64_t changes_ = 0;
  Clock::time_point looked_;  // for failures
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

void commit_host_call(HostCall &call) noexcept {
  host_calls().commit(call);
}

void cancel_host_call(const HostCallPtr &call) noexcept {
  host_calls().remove(call);
}

}  // namespace nexus_cuda
