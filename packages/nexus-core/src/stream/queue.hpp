// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's stream and the work that was given to it: what is submitted, and
// what is held back until the event that it waits for is on its way.
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
#include "stream/callback.hpp"
#include "stream/work_log.hpp"

namespace nexus::core {

/// Names work of one queue: a plug-in's ticket or, with the bit kHeld, the number of
/// work that was held back. 0 is before all work.
using QueuePosition = uint64_t;
inline constexpr QueuePosition kHeld = QueuePosition{1} << 63;

class Queue;

/// Who keeps a thing that libnexus uses: release(context) is called once when it does not need it
/// any more, on any thread. May be empty.
struct ForeignOwner {
  void (*release)(void *) = nullptr;
  void *context = nullptr;
};

/// Queues that may have become able to go on: its end wakes them. Declare it before any lock
/// that is held meanwhile, and let it end before waiting for the work.
class DeferredWakes {
 public:
  DeferredWakes() = default;
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

/// Outlives its Stream: buffers and events that its work uses keep it, so that they can
/// ask what became of that work. Any thread may use it.
///
/// A plug-in's stream waits only for events whose signal was submitted, so that waiting
/// before signalling can't block a driver. Where a wait's signal was not, the queue
/// holds back that wait and all later work, in order, until wake() finds it ready.
class Queue final : public Counted {
 public:
  /// Work that is held back. Called on any thread, holding no lock, in the queue's order.
  struct Work {
    /// Submits it: the ticket, 0 where there was nothing to do, or nothing where it can't go
    /// on yet and has noted who will call wake().
    std::function<std::optional<nxs_ticket>(Queue &)> submit;
    /// Reported once, instead, why it never will be submitted. May be empty.
    std::function<void(const Failure &)> cancel;
  };

  Queue(Device &device, int32_t priority);
  /// Over a stream of the driver that others use too, whose owner keeps it until owner.release.
  Queue(Device &device, uint64_t handle, ForeignOwner owner);

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  /// Whether others give work to it, of which this object does not know.
  bool isForeign() const noexcept { return foreign_; }

  /// Whether work goes to the plug-in at once. A caller that finds so submits it itself
  /// and calls submitted(); else it calls hold().
  bool direct() const noexcept { return !special_.load(std::memory_order_acquire); }

  /// Notes a ticket that the plug-in gave, and what it is for; returns it as a position.
  QueuePosition submitted(nxs_ticket ticket, const WorkName &name = {}) noexcept {
    log_.note(ticket, name);
    return ticket;
  }

  /// Appends work, which wake() submits when its turn comes. Throws the queue's failure.
  QueuePosition hold(Work work, DeferredWakes &wakes);
  /// Appends work to each of two queues, with nothing between, so that no two threads give them
  /// work in different orders. Where it throws a queue's failure neither has got any.
  static std::array<QueuePosition, 2> holdInBoth(const std::array<Queue *, 2> &queues,
                                                 std::array<Work, 2> works, DeferredWakes &wakes);
  /// Throws the cause where hold() would.
  void requireAccepting();
  /// Submits held work as far as it can go. Hold no lock.
  void wake() noexcept;

  /// The newest work given to the queue.
  QueuePosition newest();
  nxs_completion_state state(QueuePosition position);
  /// What became of all work, failed also where only work that the plug-in refused has failed it.
  nxs_completion_state state();
  /// Whether nothing up to position runs any more.
  bool isDone(QueuePosition position) {
    return isCompleted(position) || state(lastOf(position)) != NXS_CompletionState_Running;
  }
  /// What runs last of the work up to position: position itself or, where that was held back and
  /// lost by a failure of libnexus, the newest ticket, since the work before it goes on.
  QueuePosition lastOf(QueuePosition position);
  /// Of two positions the one that comes later in the queue.
  QueuePosition later(QueuePosition one, QueuePosition other);
  /// Whether position is known to be complete; asks nobody.
  bool isCompleted(QueuePosition position) const noexcept {
    return position <= completed_.load(std::memory_order_acquire);
  }
  /// Waits so many nanoseconds at most and says whether position is completed. Throws its failure.
  bool waitPart(QueuePosition position, uint64_t nanoseconds);
  /// Waits so many nanoseconds at most and says whether nothing up to position runs any more.
  /// Throws nothing of its failure, and counts as telling nobody.
  bool waitDone(QueuePosition position, uint64_t nanoseconds);
  /// Waits for position. Throws NXS_Timeout, NXS_Cancelled, or its failure.
  void wait(QueuePosition position, uint64_t timeout, Interrupt interrupt = Interrupt::Allowed);
  /// Throws why position failed; does nothing where it did not.
  void throwFailure(QueuePosition position);

  /// The newest ticket that the plug-in gave.
  nxs_ticket newestTicket() const noexcept { return log_.newest(); }
  /// Waits until a ticket is done, and says why it failed, nothing where it did not. That does
  /// not count as telling a caller.
  std::optional<Failure> outcome(nxs_ticket ticket);
  PendingCallbacks &callbacks() noexcept { return callbacks_; }

  /// Fails all held work and refuses new work with that cause.
  void fail(const Failure &cause);
  /// The same, but only where work is held back.
  void cancelHeld(const Failure &cause);
  /// The stream has ended: held work fails with NXS_Cancelled, submitted work goes on.
  void end();
  /// Of a queue that has ended: releases the plug-in's stream now, if all its work is complete.
  /// Else the stream stays until nobody can ask why the work failed.
  void releaseStreamIfComplete() noexcept;
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  std::size_t place_in_device = 0;  // under the lock of the device, in its list of queues

  /// Throws why the plug-in's stream takes no more work; does nothing where it does.
  void throwIfFailed();
  /// Called where the plug-in refused work, before that is thrown: throws the failure of earlier
  /// work instead, where that is why. telling: to a caller, not where the work was held back.
  void explainRefusal(bool telling = true);
  /// Whether the stream has failed and a caller was told why.
  bool failureReported() {
    const Reported told = reported_.load(std::memory_order_acquire);
    return told != Reported::Nothing && (told == Reported::Failure || refusalWasFailure());
  }

 private:
  ~Queue() override;
  void releaseStream() noexcept;

  struct Submitted {
    uint64_t number;
    nxs_ticket ticket;
  };

  // What callers were told.
  enum class Reported : uint8_t {
    Nothing,
    Refusal,  // work was refused while earlier work ran: the stream may have failed by it
    Failure
  };

  // The ticket by which the plug-in is asked for the stream itself.
  static constexpr nxs_ticket kStreamItself = 0;

  // hold() under mutex_.
  void requireAcceptingLocked();
  QueuePosition holdLocked(Work work, DeferredWakes &wakes);
  nxs_completion ask(nxs_ticket ticket, uint64_t nanoseconds);
  // Tells a caller of failure_. Under mutex_.
  [[noreturn]] void throwOwnFailure();
  [[noreturn]] void throwCompletion(const nxs_completion &completion, const char *what);
  void throwIfFailed(const nxs_completion &completion);
  // Whether all work that the plug-in took is complete, so that a failure is of work it refused.
  bool isBehindAll(const nxs_completion &completion) const noexcept;
  bool refusalWasFailure();
  Failure failureOf(const nxs_completion &completion, const char *what);
  // A sentence on the work that failed with an error record, here or in a stream that this one
  // waits for; empty where nobody knows.
  std::string placeOf(const nxs_completion &completion);
  // The same for work of this queue's own.
  std::string ownPlace(const nxs_completion &completion);
  // What became of the newest ticket; nothing where the device does not answer.
  nxs_completion askNewest() noexcept;
  // What a held position has become: its ticket, or nothing where it is still held. Throws
  // the cause where it failed. Under mutex_.
  std::optional<nxs_ticket> resolve(QueuePosition position);
  // Whether held work of that number will never be submitted. Under mutex_.
  bool isLost(uint64_t number) const {
    return failure_ && number > passed_ && !(submitting_ && number == passed_ + 1);
  }
  // Submits the held work that can go on.
  void advance(std::unique_lock<std::mutex> &lock);
  // The first held work was submitted. Under mutex_.
  void passed(nxs_ticket ticket);
  void failLocked(std::unique_lock<std::mutex> &lock, const Failure &cause);

  Device &device_;
  nxs_id id_ = 0;
  const bool foreign_ = false;
  const ForeignOwner owner_;
  std::atomic<bool> special_{false};  // holding back, or failed in libnexus
  std::atomic<bool> ended_{false};
  std::atomic<bool> released_{false};  // the plug-in's stream, whose work was all complete
  std::atomic<Reported> reported_{Reported::Nothing};
  std::atomic<nxs_ticket> completed_{0};
  PendingCallbacks callbacks_;

  WorkLog log_;

  std::mutex mutex_;
  std::condition_variable moved_;    // held work was submitted or has failed
  std::deque<Work> held_;            // under mutex_, as all below
  uint64_t given_ = 0;               // number of the newest held work
  uint64_t passed_ = 0;              // number of the newest that was submitted
  std::deque<Submitted> submitted_;  // tickets of held work that is not known complete
  std::optional<Failure> failure_;
  bool advancing_ = false;   // a thread is submitting held work
  bool submitting_ = false;  // it is giving the first one to the plug-in
  bool woken_ = false;       // wake() was called meanwhile
};

}  // namespace nexus::core
