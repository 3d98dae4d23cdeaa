// SPDX-License-Identifier: Apache-2.0
#include "stream/callback.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/process.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/queue.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

/// One callback that was given to a queue.
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
  const uint64_t epoch_;  // that of the thread when it was given
  nxs_ticket ticket_ = 0;
  std::optional<Failure> cancelled_;  // why it was held back and never submitted
  bool lost_ = false;                 // under the thread's mutex, as below: cancelled, and not due
  bool due_ = false;
  PendingCallbacks *line_ = nullptr;  // where it stands
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

/// The thread that calls the user's functions: one of the process, started at first use, never
/// ended. Never holds a lock while it calls one, and nothing of libnexus waits for it but
/// nexus_shutdown: a function may take as long as it likes, and delays only those behind it.
class CallbackThread {
 public:
  void start();
  Ref<HostCallback> make(Queue &queue, nexus_callback_fn function, void *context);
  /// Submits it: the ticket, or 0 where the plug-in has none for it.
  nxs_ticket submit(const Ref<HostCallback> &call, Queue &queue);
  /// It was held back and will never be submitted.
  void cancel(const Ref<HostCallback> &call, const Failure &cause);
  void finish(uint64_t timeout);

 private:
  static void happened(void *context, nxs_status status) noexcept;
  void fallDue(HostCallback &call) noexcept;
  void append(const Ref<HostCallback> &call, PendingCallbacks &line) noexcept;
  void moveOn(PendingCallbacks &line) noexcept;
  void run();
  static void perform(Ref<HostCallback> call) noexcept;

  std::mutex mutex_;
  std::condition_variable wanted_;  // something is due
  std::condition_variable idle_;    // all that was due was called
  HostCallbackList due_;            // under mutex_, as all below
  std::thread::id id_;              // of the thread; none: not started
  bool calling_ = false;
  std::size_t lost_ = 0;  // how many calls are
  uint64_t epoch_ = 0;    // calls of an earlier one are dropped
};

void CallbackThread::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (id_ != std::thread::id()) {
    return;
  }
  try {
    std::thread thread([this] { run(); });
    id_ = thread.get_id();
    thread.detach();
  } catch (const std::system_error &error) {
    throw Failure(NXS_OutOfResources,
                  std::string("The thread for callbacks could not be started: ") + error.what());
  }
}

Ref<HostCallback> CallbackThread::make(Queue &queue, nexus_callback_fn function, void *context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return core::make<HostCallback>(*this, queue, function, context, epoch_);
}

// ---- Giving calls -------------------------------------------------------------

nxs_ticket CallbackThread::submit(const Ref<HostCallback> &call, Queue &queue) {
  const Plugin &plugin = queue.device().plugin();
  PendingCallbacks &line = queue.callbacks();
  const Lock adding(line.adding_);
  if (plugin.has(NXS_Capability_HostCallback)) {
    // It may be called before this returns; the caller's reference and then the line's keep it.
    nxs_ticket ticket = 0;
    plugin.call(&nxs_functions::EnqueueHostCallback, "call back after the work of a stream",
                queue.id(), &CallbackThread::happened, static_cast<void *>(call.get()), &ticket);
    queue.submitted(ticket);
    call->ticket_ = ticket;
    append(call, line);
    return ticket;
  }
  call->ticket_ = queue.newestTicket();
  if (queue.isDone(call->ticket_)) {
    fallDue(*call);
  } else {
    whenDoneLater({{Ref(queue), call->ticket_}}, [call] { call->thread_.fallDue(*call); });
  }
  append(call, line);
  return 0;
}

void CallbackThread::cancel(const Ref<HostCallback> &call, const Failure &cause) {
  PendingCallbacks &line = call->queue_->callbacks();
  const Lock adding(line.adding_);
  call->cancelled_ = cause;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    call->lost_ = true;
    ++lost_;
  }
  // The work before it goes on.
  whenDone({{call->queue_, call->queue_->newestTicket()}},
           [call] { call->thread_.fallDue(*call); });
  append(call, line);
}

// ---- Falling due --------------------------------------------------------------

// On a thread of the plug-in, which may call nothing of it: no reference ends here.
void CallbackThread::happened(void *context, nxs_status) noexcept {
  HostCallback &call = *static_cast<HostCallback *>(context);
  call.thread_.fallDue(call);
}

void CallbackThread::fallDue(HostCallback &call) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  call.due_ = true;
  if (std::exchange(call.lost_, false)) --lost_;
  if (call.line_ != nullptr) {
    moveOn(*call.line_);
  }
}

void CallbackThread::append(const Ref<HostCallback> &call, PendingCallbacks &line) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  call->line_ = &line;
  line.calls_.append(call);
  moveOn(line);
}

// What is due and has nothing before it in its line is to be called. Under mutex_.
void CallbackThread::moveOn(PendingCallbacks &line) noexcept {
  while (!line.calls_.empty() && line.calls_.first()->due_) {
    due_.append(line.calls_.takeFirst());
    wanted_.notify_one();
  }
}

// ---- Calling ------------------------------------------------------------------

void CallbackThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return !due_.empty(); });
    Ref<HostCallback> call = due_.takeFirst();
    const bool wanted = call->epoch_ == epoch_;
    calling_ = true;
    lock.unlock();
    if (wanted) {
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
  call = {};  // the queue may end with it, before the user hears
  function(context, status);
  forgetFailure();  // the next one hears of its own
}

void CallbackThread::finish(uint64_t timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto idle = [this] { return due_.empty() && !calling_ && lost_ == 0; };
  if (std::this_thread::get_id() != id_) {  // a callback does not wait for itself
    const Deadline deadline(timeout);
    while (!idle() && deadline.left() != 0) {
      idle_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline.left(), kWaitSlice)));
    }
  }
  ++epoch_;
}

// ---- For streams --------------------------------------------------------------

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

void finishCallbacks(uint64_t timeout) {
  ofProcess<CallbackThread>().finish(timeout);
}

}  // namespace nexus::core
