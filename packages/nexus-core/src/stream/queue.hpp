// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's stream and the work enqueued in it. Held work is work that the queue keeps back, not
// yet submitted to the plug-in, because it or earlier work waits for an event whose signal was not
// submitted.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/ref.hpp"
#include "base/wait.hpp"
#include "device/device.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

class CallbackThread;
class HostCallback;
class Native;
class Queue;
class Runtime;

/// Collects queues that may be able to submit held work now, and wakes them when it goes out of
/// scope. Declare it before any lock that is held meanwhile, and end its scope before waiting for
/// the work.
class DeferredWakes {
 public:
  DeferredWakes();
  ~DeferredWakes();
  DeferredWakes(const DeferredWakes &) = delete;
  DeferredWakes &operator=(const DeferredWakes &) = delete;

  void add(Queue &queue);

 private:
  friend void wakePending() noexcept;

  bool takeOver(std::vector<Ref<Queue>> &queues) noexcept;
  void wakeAll() noexcept;

  std::vector<Ref<Queue>> queues_;
};

/// Names work of one queue: a plug-in's ticket or, with the bit kHeld, the number of held work. 0
/// is before all work.
using QueuePosition = uint64_t;
inline constexpr QueuePosition kHeld = QueuePosition{1} << 63;

/// Owner of something that libnexus borrows: release(context) is called once, on any thread, when
/// libnexus no longer needs it. May be empty.
struct ForeignOwner {
  void (*release)(void *) = nullptr;
  void *context = nullptr;
};

/// Host callbacks in the order in which they were appended. Guarded by the lock of its owner.
class HostCallbackList {
 public:
  HostCallbackList() = default;
  ~HostCallbackList();
  HostCallbackList(const HostCallbackList &) = delete;
  HostCallbackList &operator=(const HostCallbackList &) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  const HostCallback *first() const noexcept { return first_; }
  void append(Ref<HostCallback> call) noexcept;
  Ref<HostCallback> takeFirst() noexcept;

 private:
  HostCallback *first_ = nullptr;  // each with a reference
  HostCallback *last_ = nullptr;
};

/// A queue's submitted callbacks whose earlier work is not done, in the order of their calls.
class PendingCallbacks {
 private:
  friend class CallbackThread;

  // Locked while a callback is submitted, so that the plug-in gets them in the same order. Work
  // that finishes does not take it, so a plug-in that waits for room can't deadlock.
  std::mutex adding_;
  HostCallbackList calls_;  // under the mutex of the CallbackThread
};

/// For the end of the process: waits at most timeout nanoseconds for the calls of callbacks that
/// are due or cancelled. Callbacks added before and not called by then are never called.
void finishCallbacks(uint64_t timeout);

/// Outlives its Stream: the buffers and events that its work uses keep it, so that they can ask for
/// the state of that work. Any thread may use it.
///
/// A plug-in's stream waits only for events whose signal was submitted, so that waiting before
/// signalling can't block a driver. Without a submitted signal the queue holds back the wait and
/// all later work, in order, until wake() can submit it.
class Queue final : public Counted {
 public:
  /// Held work. Called on any thread, without locks, in the queue's order.
  struct Work {
    /// Submits the work. Returns its ticket, 0 if there was nothing to do, or nothing if it can't
    /// be submitted yet; it must then have arranged a later call of wake().
    std::function<std::optional<nxs_ticket>(Queue &)> submit;
    /// Called once instead of a submission, with the reason, when the work is cancelled. May be
    /// empty.
    std::function<void(const Failure &)> cancel;
    /// Whether it waits for no signal of the program, so that it goes on after the stream is
    /// closed.
    bool goes_on = false;
  };

  Queue(Device &device, int32_t priority);
  /// Wraps a stream of the driver that others use too. It must stay valid until owner is released.
  Queue(Device &device, uint64_t handle, ForeignOwner owner);

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  /// Returns whether others submit work to the stream without this object's knowledge.
  bool isForeign() const noexcept { return foreign_; }

  /// Returns whether work goes to the plug-in at once. If so, the caller submits it and calls
  /// submitted(); else it calls hold().
  bool direct() const noexcept { return !special_.load(std::memory_order_acquire); }

  /// Records a ticket of the plug-in and its description; returns it as a position.
  QueuePosition submitted(nxs_ticket ticket, const WorkName &name = {}) noexcept {
    log_.note(ticket, name);
    return ticket;
  }

  /// Appends held work, which wake() submits in its turn. Throws the queue's failure.
  QueuePosition hold(Work work, DeferredWakes &wakes);
  /// Appends held work to two queues in one step, so that two threads can't append in different
  /// orders. If a queue has failed, throws its failure and appends to neither.
  static std::array<QueuePosition, 2> holdInBoth(const std::array<Queue *, 2> &queues,
                                                 std::array<Work, 2> works, DeferredWakes &wakes);
  /// Throws if hold() would.
  void requireAccepting();
  /// Submits held work as far as possible. The caller must hold no lock.
  void wake() noexcept;

  /// Returns the position of the newest work.
  QueuePosition newest();
  nxs_completion_state state(QueuePosition position);
  /// Returns the state of all work. It is also Failed if the plug-in only refused work.
  nxs_completion_state state();
  /// Returns whether all work up to position is done, whether completed or failed.
  bool isDone(QueuePosition position) {
    return isCompleted(position) || state(lastOf(position)) != NXS_CompletionState_Running;
  }
  /// Returns the last work up to position that runs: position itself or, if that is held work that
  /// was cancelled, the newest ticket.
  QueuePosition lastOf(QueuePosition position);
  QueuePosition later(QueuePosition one, QueuePosition other);
  /// Returns whether position is work that was not submitted to the plug-in yet.
  bool isHeld(QueuePosition position);
  /// Returns whether position is known to be complete, without asking the plug-in.
  bool isCompleted(QueuePosition position) const noexcept {
    return position <= completed_.load(std::memory_order_acquire);
  }
  /// Waits at most nanoseconds. Returns whether position is complete. Throws its failure.
  bool waitPart(QueuePosition position, uint64_t nanoseconds);
  /// Waits at most nanoseconds. Returns whether all work up to position is done. A failure is not
  /// thrown and does not count as reported.
  bool waitDone(QueuePosition position, uint64_t nanoseconds);
  /// Waits for position. Throws NXS_Timeout, NXS_Cancelled, or its failure.
  void wait(QueuePosition position, uint64_t timeout, Interrupt interrupt = Interrupt::Allowed);
  /// Throws the failure of position, if it failed.
  void throwFailure(QueuePosition position);

  /// The plug-in's newest ticket.
  nxs_ticket newestTicket() const noexcept { return log_.newest(); }
  /// Waits until a ticket is done. Returns its failure, if any, which does not count as reported.
  std::optional<Failure> outcome(nxs_ticket ticket);
  /// Calls a function of the plug-in that submits work to the stream and has the ticket as its last
  /// parameter, as Plugin::call() does. Returns the ticket.
  template <typename Function, typename What, typename... Arguments>
  nxs_ticket call(Function function, What &&what, Arguments &&...arguments) const {
    nxs_ticket ticket = 0;
    device_.plugin().call(function, std::forward<What>(what), std::forward<Arguments>(arguments)...,
                          &ticket);
    return ticket;
  }

  /// Lets the plug-in record work that others submit to its stream instead of running it. Until the
  /// end the queue takes no work. Throws NXS_InvalidOperation if it captures already, or has held
  /// work.
  void beginCapture();
  /// Ends the capture in any case. Returns a schedule of the plug-in with the work. Throws
  /// NXS_InvalidOperation if there is no capture, or it is invalid.
  Ref<Native> endCapture();
  /// Ends the capture, if there is one, and throws the work away.
  void dropCapture() noexcept;

  PendingCallbacks &callbacks() noexcept { return callbacks_; }

  /// Cancels all held work and refuses new work, with that cause.
  void fail(const Failure &cause);
  /// Like fail(), but only if there is held work.
  void cancelHeld(const Failure &cause);
  /// Closes the queue: submitted work and calls that were begun go on, then held work up to a wait
  /// for a signal; the rest fails with NXS_Cancelled. Called by DeviceQueues::end(). The caller
  /// must hold no lock.
  void end();
  /// Ends the plug-in's loops before their next iteration, including those of later runs.
  void stopLoops() noexcept;
  bool loopsStopped() const noexcept { return loops_stopped_.load(std::memory_order_relaxed); }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  std::size_t place_in_device = 0;  // index in the device's list of queues, under its lock

  /// Throws the failure because of which the plug-in's stream takes no more work, if any.
  void throwIfFailed();
  /// Call when the plug-in refused work, before throwing that: throws the failure of earlier work
  /// instead, if that is the cause. report: whether the exception reaches a caller; false for held
  /// work.
  void explainRefusal(bool report = true);
  /// Returns whether the stream has failed and a caller was told why.
  bool failureReported() {
    const Reported reported = reported_.load(std::memory_order_acquire);
    return reported != Reported::Nothing && (reported == Reported::Failure || refusalWasFailure());
  }

 private:
  ~Queue() override;

  struct Submitted {
    uint64_t number;
    nxs_ticket ticket;
  };

  // The failures that were reported to callers.
  enum class Reported : uint8_t {
    Nothing,
    Refusal,  // work was refused while earlier work ran, so the stream may have failed
    Failure
  };

  // The ticket that asks the plug-in for the state of the stream itself.
  static constexpr nxs_ticket kStreamItself = 0;

  void requireAcceptingLocked();
  Ref<Native> takeCaptured();
  QueuePosition holdLocked(Work work, DeferredWakes &wakes);
  nxs_completion ask(nxs_ticket ticket, uint64_t nanoseconds);
  // Throws failure_, which then counts as reported. Under mutex_.
  [[noreturn]] void throwOwnFailure();
  [[noreturn]] void throwCompletion(const nxs_completion &completion, const char *what);
  void throwIfFailed(const nxs_completion &completion);
  // Returns whether all submitted work is complete, so that a failure comes from refused work.
  bool allSubmittedComplete(const nxs_completion &completion) const noexcept;
  bool refusalWasFailure();
  Failure failureOf(const nxs_completion &completion, const char *what);
  // Returns a sentence that names the work that failed with an error record, here or in a stream
  // that this one waits for. Empty if unknown.
  std::string placeOf(const nxs_completion &completion);
  // Like placeOf(), for this queue's own work only.
  std::string ownPlace(const nxs_completion &completion);
  // Returns the completion of the newest ticket, or an empty one if the device is lost.
  nxs_completion askNewest() noexcept;
  // Returns the ticket of held work, or nothing while it is held. Throws its failure. Under mutex_.
  std::optional<nxs_ticket> resolve(QueuePosition position);
  // Returns whether the held work of that number was cancelled. Under mutex_.
  bool isLost(uint64_t number) const {
    return failure_ && number > newest_submitted_ &&
           !(submitting_ && number == newest_submitted_ + 1);
  }
  // Submits held work until some can't be submitted yet.
  void advance(std::unique_lock<std::mutex> &lock);
  // Records the submission of the first held work. Under mutex_.
  void noteSubmitted(nxs_ticket ticket);
  void failLocked(std::unique_lock<std::mutex> &lock, const Failure &cause);
  void failIfEnded(std::unique_lock<std::mutex> &lock);

  Device &device_;
  nxs_id id_ = 0;
  const bool foreign_ = false;
  const ForeignOwner owner_;
  std::atomic<bool> special_{false};  // has held work, captures, or failed in libnexus
  std::atomic<bool> ended_{false};
  std::atomic<bool> loops_stopped_{false};
  std::atomic<Reported> reported_{Reported::Nothing};
  std::atomic<nxs_ticket> completed_{0};
  PendingCallbacks callbacks_;

  WorkLog log_;

  std::mutex mutex_;
  std::condition_variable held_changed_;  // held work was submitted or cancelled
  std::deque<Work> held_;                 // under mutex_, as all below
  uint64_t newest_held_ = 0;              // number of the newest held work
  uint64_t newest_submitted_ = 0;         // number of the newest held work that was submitted
  std::deque<Submitted> submitted_;       // tickets of held work, until known to be complete
  std::optional<Failure> failure_;
  std::mutex capture_mutex_;  // locked before mutex_, while a capture begins or ends
  Ref<Native> captured_;      // while it captures: gets the work
  bool advancing_ = false;    // a thread is submitting held work
  bool submitting_ = false;   // it is submitting the first one
  bool woken_ = false;        // wake() was called meanwhile
};

/// Calls submit, which submits work to the queue's plug-in and returns its ticket. name describes
/// the work in error messages.
template <typename Submit>
QueuePosition submitTo(Queue &queue, Submit &&submit, const WorkName &name = {}) {
  nxs_ticket ticket = 0;
  try {
    ticket = submit(queue);
  } catch (const Failure &) {
    queue.explainRefusal();
    throw;
  }
  return queue.submitted(ticket, name);
}

/// Like submitTo(), for held work, whose caller has returned: a failure names the work.
template <typename Submit>
nxs_ticket submitHeld(Queue &queue, Submit &&submit, const WorkName &name = {}) {
  nxs_ticket ticket = 0;
  try {
    ticket = submit(queue);
  } catch (const Failure &failure) {
    queue.explainRefusal(false);
    throw failure.with(name.notSubmitted());
  }
  queue.submitted(ticket, name);
  return ticket;
}

/// Holds work back, even if the queue is direct: for a caller whose locks submit takes.
template <typename Submit>
QueuePosition holdWork(Queue &queue, const Submit &submit, const WorkName &name,
                       DeferredWakes &wakes) {
  return queue.hold({[submit, name](Queue &into) -> std::optional<nxs_ticket> {
                       return submitHeld(into, submit, name);
                     },
                     {}},
                    wakes);
}

/// Enqueues work: submits it, or holds it back behind held work. submit(Queue &) submits it to the
/// plug-in and returns its ticket; a copy is kept with held work, so it must own what it needs.
template <typename Submit>
QueuePosition enqueueWork(Queue &queue, const Submit &submit, const WorkName &name,
                          DeferredWakes &wakes) {
  return queue.direct() ? submitTo(queue, submit, name) : holdWork(queue, submit, name, wakes);
}

/// The same; what: a literal such as "a copy to the host".
template <typename Submit>
QueuePosition enqueueWork(Queue &queue, const Submit &submit, const char *what,
                          DeferredWakes &wakes) {
  return enqueueWork(queue, submit, WorkName{what, {}}, wakes);
}

/// Returns the queues of all devices of a runtime that were created so far. Defined in stream.cpp,
/// which depends on this header.
std::vector<Ref<Queue>> queuesOf(Runtime &runtime);

}  // namespace nexus::core
