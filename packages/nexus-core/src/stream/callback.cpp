// SPDX-License-Identifier: Apache-2.0
//
// The user's callbacks in streams, and the one thread that calls them.
#include "stream/queue.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/process.hpp"
#include "base/process_thread.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

class HostCallback final : public Counted {
 public:
  HostCallback(CallbackThread &thread, Queue &queue, nexus_callback_fn function, void *context,
               uint64_t epoch)
      : thread_(thread), queue_(queue), function_(function), context_(context), epoch_(epoch) {}

 private:
  friend class HostCallbackList;
  friend class CallbackThread;

  CallbackThread &thread_;
  const Ref<Queue> queue_;
  const nexus_callback_fn function_;
  void *const context_;
  const uint64_t epoch_;  // of the thread when it was enqueued
  nxs_ticket ticket_ = 0;
  std::optional<Failure> cancelled_;  // why it was cancelled while held back
  bool lost_ = false;  // cancelled and not due yet; under the thread's mutex, as below
  bool due_ = false;
  PendingCallbacks *pending_ = nullptr;  // where it is enqueued
  HostCallback *next_ = nullptr;
};

HostCallbackList::~HostCallbackList() {
  while (!empty()) {
    takeFirst();
  }
}

void HostCallbackList::append(Ref<HostCallback> call) noexcept {
  HostCallback *added = call.detach();
  (first_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
}

Ref<HostCallback> HostCallbackList::takeFirst() noexcept {
  HostCallback *taken = first_;
  first_ = std::exchange(taken->next_, nullptr);
  return Ref<HostCallback>::adopt(taken);
}

/// Calls the user's functions on its own thread, so that a slow function delays only the callbacks
/// after it and no copy. The thread holds no lock during a call, and nothing in libnexus but
/// nexus_shutdown waits for it.
class CallbackThread {
 public:
  void start();
  Ref<HostCallback> make(Queue &queue, nexus_callback_fn function, void *context);
  /// Returns the ticket, or 0 if the plug-in has none for it.
  nxs_ticket submit(const Ref<HostCallback> &call, Queue &queue);
  /// Reports to a callback that was held back that it will never be submitted.
  void cancel(const Ref<HostCallback> &call, const Failure &cause);
  void finish(uint64_t timeout);

 private:
  static void onWorkDone(void *context, nxs_status status) noexcept;
  void markDue(HostCallback &call) noexcept;
  void append(const Ref<HostCallback> &call, PendingCallbacks &pending) noexcept;
  void moveDue(PendingCallbacks &pending) noexcept;
  void run();
  static void perform(Ref<HostCallback> call) noexcept;

  std::mutex mutex_;
  std::condition_variable due_added_;  // a callback is due
  std::condition_variable idle_;       // no callback is due or running
  HostCallbackList due_;               // under mutex_, as all below
  ProcessThread thread_;
  bool calling_ = false;
  std::size_t lost_ = 0;  // number of callbacks with lost_
  uint64_t epoch_ = 0;    // callbacks of earlier epochs are dropped
};

void CallbackThread::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  thread_.startForUser("The thread for callbacks", [this] { run(); });
}

Ref<HostCallback> CallbackThread::make(Queue &queue, nexus_callback_fn function, void *context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return core::make<HostCallback>(*this, queue, function, context, epoch_);
}

// ---- Enqueuing ----------------------------------------------------------------

nxs_ticket CallbackThread::submit(const Ref<HostCallback> &call, Queue &queue) {
  const Plugin &plugin = queue.device().plugin();
  PendingCallbacks &pending = queue.callbacks();
  const Lock adding(pending.adding_);
  if (plugin.has(NXS_Capability_HostCallback)) {
    // The plug-in may call back before this returns, so the caller's reference and then the list's
    // keep the callback alive.
    nxs_ticket ticket = 0;
    plugin.call(&nxs_functions::EnqueueHostCallback, "call back after the work of a stream",
                queue.id(), &CallbackThread::onWorkDone, static_cast<void *>(call.get()), &ticket);
    queue.submitted(ticket);
    call->ticket_ = ticket;
    append(call, pending);
    return ticket;
  }
  call->ticket_ = queue.newestTicket();
  if (queue.isDone(call->ticket_)) {
    markDue(*call);
  } else {
    whenDoneLater({{Ref(queue), call->ticket_}}, [call] { call->thread_.markDue(*call); });
  }
  append(call, pending);
  return 0;
}

void CallbackThread::cancel(const Ref<HostCallback> &call, const Failure &cause) {
  PendingCallbacks &pending = call->queue_->callbacks();
  const Lock adding(pending.adding_);
  call->cancelled_ = cause;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    call->lost_ = true;
    ++lost_;
  }
  // The work before it goes on.
  whenDone({{call->queue_, call->queue_->newestTicket()}},
           [call] { call->thread_.markDue(*call); });
  append(call, pending);
}

// ---- Becoming due -------------------------------------------------------------

// Called on a plug-in's thread that must not call the plug-in, so it drops no reference.
void CallbackThread::onWorkDone(void *context, nxs_status) noexcept {
  HostCallback &call = *static_cast<HostCallback *>(context);
  call.thread_.markDue(call);
}

void CallbackThread::markDue(HostCallback &call) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  call.due_ = true;
  if (std::exchange(call.lost_, false)) --lost_;
  if (call.pending_ != nullptr) {
    moveDue(*call.pending_);
  }
}

void CallbackThread::append(const Ref<HostCallback> &call, PendingCallbacks &pending) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  call->pending_ = &pending;
  pending.calls_.append(call);
  moveDue(pending);
}

// Moves due callbacks from the front of the list to due_. Under mutex_.
void CallbackThread::moveDue(PendingCallbacks &pending) noexcept {
  while (!pending.calls_.empty() && pending.calls_.first()->due_) {
    due_.append(pending.calls_.takeFirst());
    due_added_.notify_one();
  }
}

// ---- Calling ------------------------------------------------------------------

void CallbackThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    due_added_.wait(lock, [this] { return !due_.empty(); });
    Ref<HostCallback> call = due_.takeFirst();
    const bool current = call->epoch_ == epoch_;
    calling_ = true;
    lock.unlock();
    if (current) {
      perform(std::move(call));
    }
    call = {};
    lock.lock();
    calling_ = false;
    if (due_.empty()) {
      idle_.notify_all();
    }
  }
}

void CallbackThread::perform(Ref<HostCallback> call) noexcept {
  nxs_status status = NXS_Success;
  try {
    const std::optional<Failure> cause =
        call->cancelled_ ? call->cancelled_ : call->queue_->outcome(call->ticket_);
    if (cause) {
      status = noteFailure(*cause);
    }
  } catch (...) {
    status = noteCurrentException();
  }
  const nexus_callback_fn function = call->function_;
  void *const context = call->context_;
  call = {};  // drop the queue, if this is its last use, before calling the user
  function(context, status);
  forgetFailure();  // the next function must not see this failure
}

void CallbackThread::finish(uint64_t timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto idle = [this] { return due_.empty() && !calling_ && lost_ == 0; };
  if (std::this_thread::get_id() != thread_.id()) {  // a callback does not wait for itself
    const Deadline deadline(timeout);
    while (!idle() && deadline.left() != 0) {
      idle_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline.left(), kWaitSlice)));
    }
  }
  ++epoch_;
}

// ---- For streams --------------------------------------------------------------

namespace {

// Calls function(context, status) once, on the callback thread, when the queue's earlier work is
// done or has failed, or when held earlier work is cancelled. Throws what Queue::hold() throws, and
// NXS_OutOfResources if the thread can't be started; function is then never called.
void addCallback(Queue &queue, nexus_callback_fn function, void *context, DeferredWakes &wakes) {
  CallbackThread &thread = ofProcess<CallbackThread>();
  thread.start();
  const Ref<HostCallback> call = thread.make(queue, function, context);
  if (queue.direct()) {
    submitTo(queue, [&](Queue &into) { return thread.submit(call, into); });
    return;
  }
  queue.hold({[&thread, call](Queue &into) -> std::optional<nxs_ticket> {
                return thread.submit(call, into);
              },
              [&thread, call](const Failure &cause) { thread.cancel(call, cause); }},
             wakes);
}

}  // namespace

void finishCallbacks(uint64_t timeout) {
  ofProcess<CallbackThread>().finish(timeout);
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_stream_add_callback(nexus_stream *stream, nexus_callback_fn function,
                                     void *context) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    if (function == nullptr) {
      failWith(NXS_InvalidValue, "function is NULL; give the function to call.");
    }
    DeferredWakes wakes;
    addCallback(queue, function, context, wakes);
  });
}
