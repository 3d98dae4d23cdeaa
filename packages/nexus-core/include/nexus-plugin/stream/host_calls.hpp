// SPDX-License-Identifier: Apache-2.0 Host callbacks of streams that are queues of the driver. A
// thread of the plug-in makes the calls: code on the driver's thread must not call the driver, and
// after a failure the driver may drop the calls.
#ifndef NEXUS_PLUGIN_HOST_CALLS_HPP_
#define NEXUS_PLUGIN_HOST_CALLS_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/thread.hpp>
#include <nexus-plugin/stream/tickets.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// A callback with its arguments, from nxsEnqueueHostCallback.
template <class Stream>
struct HostCall {
  HostCall(Ref<Stream> in, void (*function)(void *context, nxs_status status), void *given)
      : stream(std::move(in)), callback(function), context(given) {}

  Ref<Stream> stream;
  void (*callback)(void *context, nxs_status status);
  void *context;
  const Shared<Condition<Stream>> condition =  // known when the callback has returned
      Shared<Condition<Stream>>::make(Condition<Stream>::By::kHostCall);
  nxs_ticket behind = 0;         // the stream's newest ticket before it
  std::atomic<bool> due{false};  // the earlier work is done, or the stream has failed
  bool committed = false;        // enqueued successfully; guarded by HostCalls::mutex_
  FailurePtr cause{};            // why the stream fails; set before the call
};

// The pending calls, in the order in which they were enqueued, and the thread that makes them.
// Beside the members in tickets.hpp, Queue has
//
//   // Enqueues a call of reached(call), on any thread, after the earlier work. Throws if that
//   // fails. work: what Stream::submit_marked() passes.
//   static void enqueue_host_call(... &work, void (*reached)(void *), void *call);
//
// and Stream has a submit_marked(enqueue, condition) that calls enqueue(work), and gives the ticket
// a mark with the condition.
template <class Queue>
class HostCalls {
  using Clock = std::chrono::steady_clock;

 public:
  using Stream = typename Queue::Stream;
  using HostCallPtr = Shared<HostCall<Stream>>;

  // Implements nxsEnqueueHostCallback. The callback is called only if it was enqueued successfully,
  // and before later ones of the stream.
  static nxs_ticket enqueue(const Ref<Stream> &stream,
                            void (*callback)(void *context, nxs_status status), void *context) {
    check_pointer(callback, "callback");
    const auto call = HostCallPtr::make(stream, callback, context);
    try {
      const nxs_ticket ticket = stream->submit_marked(
          [&](auto &work) {
            call->behind = stream->completion().last();
            auto given = std::make_unique<HostCallPtr>(call);
            all().add(call);
            Queue::enqueue_host_call(work, reached, given.get());
            static_cast<void>(given.release());
          },
          call->condition);
      all().commit(*call);
      return ticket;
    } catch (...) {
      all().remove(call);
      throw;
    }
  }

  // Called by the driver, once for each enqueued call.
  static void reached(void *call) {
    const std::unique_ptr<HostCallPtr> given(static_cast<HostCallPtr *>(call));
    all().mark_due(**given);
  }

 private:
  // How often the streams of calls are checked for failures, after which the driver may not call.
  static constexpr std::chrono::milliseconds kLookForFailures{20};
  // How often to check, for a due call, whether threads have finished earlier copies.
  static constexpr std::chrono::microseconds kLookForCopies{200};

  // Never destroyed: the driver may call until the process ends.
  static HostCalls &all() {
    static HostCalls *const made = new HostCalls;
    return *made;
  }

  void add(const HostCallPtr &call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    if (!started_) start_thread(&HostCalls::serve, this).detach();
    started_ = true;
    changed();  // so that the thread begins to look for failures
  }

  void remove(const HostCallPtr &call) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(calls_, [&](const HostCallPtr &each) { return each.get() == call.get(); });
  }

  void commit(HostCall<Stream> &call) noexcept {
    const std::lock_guard lock(mutex_);
    call.committed = true;
    if (call.due.load(std::memory_order_acquire)) changed();
  }

  void mark_due(HostCall<Stream> &call) noexcept {
    const std::lock_guard lock(mutex_);
    call.due.store(true, std::memory_order_release);
    changed();
  }

  void changed() noexcept {
    ++changes_;
    changed_.notify_one();
  }

  static void serve(HostCalls *self) noexcept {
    while (true) make(*self->next());
  }

  static void make(HostCall<Stream> &call) noexcept {
    call.callback(call.context, status_of(call.cause));
    call.condition->returned();
    auto &tickets = call.stream->tickets();
    tickets.poll(tickets.completion().last());
    tickets.wake()->wake();
  }

  HostCallPtr next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const uint64_t seen = changes_;
      const std::vector<HostCallPtr> due = first_due();
      if (HostCallPtr ready = take_ready(due, lock)) return ready;
      if (Clock::now() >= looked_ + kLookForFailures) look_for_failures(lock);
      const auto end = due.empty() ? looked_ + kLookForFailures : Clock::now() + kLookForCopies;
      while (changes_ == seen) {
        if (calls_.empty()) {
          changed_.wait(lock);
        } else if (changed_.wait_until(lock, end) == std::cv_status::timeout) {
          break;
        }
      }
    }
  }

  // Returns the first call of each stream if it is due.
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

  // Removes and returns the first of these calls for which all earlier work of threads is done too;
  // empty if there is none. Polls the streams without the lock.
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

  // Makes the calls of failed streams due. Polls the streams without the lock.
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
  Clock::time_point looked_{};  // when it last looked for failures
  bool started_ = false;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_HOST_CALLS_HPP_
