// SPDX-License-Identifier: Apache-2.0
//
// An event: a timeline of 64-bit values, built from a plug-in's binary events.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lock.hpp"
#include "device/device.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

/// Shared events are a counter that only grows. Signal and Fence events are one-shot, with the
/// values 0 and 1; enqueuing a signal resets them to 0 until it happens.
///
/// Internally both are a counter that only grows, the level. The level of a Shared event is its
/// value. The level of a one-shot event is its number of signals, and a wait is for the newest
/// signal enqueued before it. So a wait that is held back can't miss its signal when the event is
/// signalled again meanwhile.
///
/// Each submitted signal that is not known to be complete is a PendingSignal: its level, its
/// ticket, and a binary event of the plug-in that other streams can wait for. Binary events are
/// pooled, so steady signalling allocates nothing.
class Event final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Event;
  enum class Timing { Off, On };

  struct Signal {
    uint64_t number = 0;  // counts the signals of the event
    uint64_t level = 0;
  };

  /// Throws NXS_NotSupported for Timing::On if the device's backend has no timing.
  Event(Device &device, nxs_event_type type, Timing timing = Timing::Off);
  /// Makes an event that can be exported to other processes. It is one-shot and without timing.
  /// Throws NXS_NotSupported if the device's backend has no such events, and NXS_InvalidValue for a
  /// Shared event.
  static Ref<Event> makeShareable(Device &device, nxs_event_type type);
  /// Imports another process' event from its exported handle. This process can't signal it.
  static Ref<Event> import(Device &device, std::string_view handle);
  ~Event() override;

  Device &device() const noexcept { return device_; }
  nxs_event_type eventType() const noexcept { return type_; }
  bool oneShot() const noexcept { return type_ != NXS_EventType_Shared; }
  bool timed() const noexcept { return timing_ == Timing::On; }

  // ---- On the host ----
  /// Throws NXS_InvalidValue if value is below the event's.
  void signal(uint64_t value);
  /// Throws NXS_Timeout, NXS_Cancelled, or the failure of the signal.
  void wait(uint64_t value, uint64_t timeout);
  uint64_t value();
  /// Returns whether there was a signal and all signals so far have happened. Throws the failure of
  /// one that failed.
  bool isDone();

  // ---- With other processes ----
  /// Returns the handle with which other processes import the event. Throws NXS_InvalidOperation if
  /// it is not shareable.
  std::string exported();

  // ---- Time, of events made with timing ----
  /// Returns the nanoseconds from the newest signal of start to the newest signal of end. Throws if
  /// either has no time.
  static double elapsed(Event &start, Event &end);
  /// Returns whether the newest enqueued signal has happened. Throws its failure, and
  /// NXS_InvalidOperation if there was none.
  bool newestHappened();
  /// Like newestHappened(), but returns false for a failure and for no signal.
  bool hasTime();
  /// Records that a new signal failed before it was enqueued.
  void failNewSignal(const Failure &cause, DeferredWakes &wakes);

  // ---- In a queue (event_queue.cpp) ----
  /// Throws NXS_InvalidValue if the event can't be signalled with value now, since it is beyond
  /// value or has no such value.
  void checkSignal(uint64_t value);
  /// Throws NXS_InvalidValue if the event has no such value.
  void checkWait(uint64_t value) const;
  /// Submits a signal after the queue's work. Returns its ticket, or 0 if the event has reached
  /// value already.
  nxs_ticket submitSignal(Queue &queue, uint64_t value, DeferredWakes &wakes);
  /// Announces a signal that a queue holds back, so that waits enqueued from now on wait for it.
  Signal expectSignal(uint64_t value);
  /// Submits an announced signal, as submitSignal() does.
  nxs_ticket submitExpected(Queue &queue, const Signal &signal, DeferredWakes &wakes);
  /// Records that an announced signal will never be submitted.
  void failSignal(const Signal &signal, const Failure &cause, DeferredWakes &wakes);
  /// Returns the level that a wait for value waits for if it is enqueued now.
  uint64_t levelOf(uint64_t value);
  /// Lets the queue's plug-in wait for level. Returns the ticket, or 0 if there is nothing to wait
  /// for. Returns nothing if the signal was not submitted yet; with wake, the event then wakes the
  /// queue when it is.
  std::optional<nxs_ticket> submitWait(Queue &queue, uint64_t level, bool wake);

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  struct Binary {
    Device *device = nullptr;
    nxs_id id = 0;
  };
  struct PendingSignal {
    uint64_t level;
    Ref<Queue> queue;  // none: never submitted, see failure
    nxs_ticket ticket;
    Binary binary;
    std::shared_ptr<const Failure> failure;
    bool watched;  // a queue of another backend will be woken when it is done
  };
  struct Waiter {
    Ref<Queue> queue;
    uint64_t level;
  };
  /// The newest enqueued signal of an event with timing. Its binary event, which has the time, is
  /// kept until the next signal.
  struct Newest {
    uint64_t number = 0;  // 0: there was none
    Binary binary;        // none: held back, or failed
    Ref<Queue> queue;     // none: known to have happened
    nxs_ticket ticket = 0;
    std::shared_ptr<const Failure> failure;  // why it was never submitted
  };

  /// Throws if another thread has closed the event. Under mutex_.
  void requireOpen() const;
  std::optional<json::Value> nativeHandle();
  void share(nxs_id id);
  void requireSignal() const;
  nxs_completion askImported(uint64_t nanoseconds);
  nxs_ticket submitImportedWait(Queue &queue);
  bool isShared(const Binary &binary) const { return binary.id != 0 && binary.id == shared_.id; }
  bool closable() const noexcept override { return true; }
  void onClose() override;
  static Failure closedFailure();

  // All under mutex_.
  void refresh();
  void reach(uint64_t level);
  Signal nextSignal(uint64_t value) const;
  nxs_ticket submit(Queue &queue, const Signal &signal, DeferredWakes &wakes);
  void fail(const Signal &signal, const Failure &cause, DeferredWakes &wakes);
  PendingSignal *find(uint64_t level);
  static bool hasFailed(const PendingSignal &pending);
  bool hasPending(const Binary &binary) const;
  Binary takeBinary(Device &device);
  void dropPending(std::size_t index);
  void addWaiter(Queue &queue, uint64_t level);
  void removeWaiter(const Queue &queue, uint64_t level);
  void takeWaiters(uint64_t level, DeferredWakes &wakes);
  void watch(PendingSignal &pending);
  void setNewest(Newest newest);
  void requireTiming(const char *name) const;
  void requireHappened(const char *name);
  bool checkNewest(const char *name);
  nxs_completion_state newestState();

  Device &device_;
  const nxs_event_type type_;
  const Timing timing_;
  const int64_t number_;  // NP_ID: timelines have no id of a plug-in
  Binary shared_;         // set for the lifetime of an event shared between processes; else none
  Ref<Native> shared_native_;  // owner of shared_, under mutex_; none once closed
  bool imported_ = false;
  std::mutex mutex_;
  Condition changed_;
  uint64_t level_ = 0;                          // under mutex_, as all below
  uint64_t given_ = 0;                          // number of signals enqueued
  uint64_t expected_ = 0;                       // how many of them are held back
  std::vector<PendingSignal> pending_signals_;  // in the order of their submission
  std::vector<Binary> free_;
  std::vector<Waiter> waiters_;  // queues that hold back work until a level's signal is submitted
  Newest newest_;
};

/// Enqueue a signal or a wait: submit it if the queue holds nothing back and, for a wait, its
/// signal was submitted; else hold it back. Return its position.
QueuePosition enqueueSignal(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes);
QueuePosition enqueueWait(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes);

}  // namespace nexus::core
