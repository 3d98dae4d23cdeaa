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
    Tickets &tickets = call.stream->tickets();
    call.callback(call.context, nexus_plugin::status_of(tickets.cause_to_come()));
    call.condition->returned();
    tickets.poll(tickets.completion().last());
    tickets.bell()->ring();
  }

  HostCallPtr next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const uint64_t seen = changes_;
      const std::vector<HostCallPtr> due = first_due();
      if (HostCallPtr ready = take_ready(due, lock)) return ready;
      const auto has_changed = [&] { return changes_ != seen; };
      if (calls_.empty()) {
        changed_.wait(lock, has_changed);
      } else if (!due.empty()) {
        changed_.wait_for(lock, kLookForCopies, has_changed);
      } else if (!changed_.wait_for(lock, kLookForFailures, has_changed)) {
        look_for_failures(lock);
      }
    }
  }

  // Of each stream the first call, where that is due.
  std::vector<HostCallPtr> first_due() const {
    std::vector<HostCallPtr> found;
    for (const HostCallPtr &call : calls_) {
      const auto same_stream = [&](const HostCallPtr &each) {
        return each->stream == call->stream;
      };
      if (call->due.load(std::memory_order_acquire) &&
          std::none_of(found.begin(), found.end(), same_stream)) {
        found.push_back(call);
      }
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
      return call->stream->tickets().settled(call->behind);
    });
    lock.lock();
    if (ready == due.end()) return {};
    const auto is_it = [&](const HostCallPtr &each) { return each.get() == ready->get(); };
    return std::erase_if(calls_, is_it) == 0 ? HostCallPtr() : *ready;
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
  uint64_t changes_ = 0;
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
