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

#include "base/condition.hpp"
#include "device/device.hpp"
#include "object/native.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

/// Shared: a counter that only grows. Signal and Fence: one shot, with the values 0 and 1;
/// a signal that is given sets it back to 0 until it happens.
///
/// Inside, both are a counter that only grows: the level. That of a Shared event is its value;
/// a one-shot event counts its signals, and a wait is for the newest one given by then. So a
/// wait that is held back can't miss its signal when the event is armed again meanwhile.
///
/// Each signal that was submitted and is not known complete is a pending: the level, where it
/// happens, and a binary event of the plug-in that other streams can wait for. The binary
/// events are used again, so steady signalling allocates nothing.
class Event final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Event;
  enum class Timing { Off, On };

  /// A signal that was given to a queue.
  struct Signal {
    uint64_t number = 0;  // counts the signals of the event
    uint64_t level = 0;
  };

  /// Throws NXS_NotSupported for Timing where the device's backend has none.
  Event(Device &device, nxs_event_type type, Timing timing = Timing::Off);
  /// One that other processes can be given, which is one-shot and without timing. Throws
  /// NXS_NotSupported where the device's backend has none, NXS_InvalidValue for a Shared event.
  static Ref<Event> makeShareable(Device &device, nxs_event_type type);
  /// That of another process, by what it exported; this process can't signal it.
  static Ref<Event> import(Device &device, std::string_view handle);
  ~Event() override;

  Device &device() const noexcept { return device_; }
  nxs_event_type eventType() const noexcept { return type_; }
  bool oneShot() const noexcept { return type_ != NXS_EventType_Shared; }
  bool timed() const noexcept { return timing_ == Timing::On; }

  // ---- On the host ----
  /// Throws NXS_InvalidValue where value is below the event's.
  void signal(uint64_t value);
  /// Throws NXS_Timeout, NXS_Cancelled, or why the signal failed.
  void wait(uint64_t value, uint64_t timeout);
  uint64_t value();
  /// Whether every signal given so far has happened, and there was one. Throws why one failed.
  bool isDone();

  // ---- With other processes (event_shared.cpp) ----
  /// By which other processes import it. Throws NXS_InvalidOperation where they can't.
  std::string exported();

  // ---- Time, of events made with it (event_time.cpp) ----
  /// The nanoseconds from the newest signal of start to that of end. Throws what is missing.
  static double elapsed(Event &start, Event &end);
  /// Whether the newest signal given to a queue has happened. Throws why it failed,
  /// NXS_InvalidOperation where there was none.
  bool newestHappened();
  /// Whether it has; throws nothing of that kind.
  bool hasTime();
  /// The newest signal was to be given, and failed before.
  void failNewSignal(const Failure &cause, DeferredWakes &wakes);

  // ---- In a queue (event_queue.cpp) ----
  /// Throws NXS_InvalidValue where a signal of value could not be submitted now, since the
  /// event is beyond it or has no such value.
  void checkSignal(uint64_t value);
  /// Throws NXS_InvalidValue where the event has no such value.
  void checkWait(uint64_t value) const;
  /// Submits a signal after the queue's work; its ticket, or 0 where the event is at value
  /// already.
  nxs_ticket submitSignal(Queue &queue, uint64_t value, DeferredWakes &wakes);
  /// A signal is given to a queue that holds it back: from now on the event expects it.
  Signal expectSignal(uint64_t value);
  /// Submits it when its turn comes, as submitSignal does.
  nxs_ticket submitExpected(Queue &queue, const Signal &signal, DeferredWakes &wakes);
  /// It will never be submitted.
  void failSignal(const Signal &signal, const Failure &cause, DeferredWakes &wakes);
  /// The level that a wait for value, given now, waits for.
  uint64_t levelOf(uint64_t value);
  /// Submits what lets the queue go on when the event reaches level: the ticket, or 0 where
  /// nothing is needed. Nothing where its signal was not submitted; the event then wakes the
  /// queue when it is, if asked to.
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
    Ref<Queue> queue;  // none: never submitted, failure says why
    nxs_ticket ticket;
    Binary binary;
    std::shared_ptr<const Failure> failure;
    bool watched;  // someone of another backend will be woken when it is done
  };
  struct Waiter {
    Ref<Queue> queue;
    uint64_t level;
  };
  /// The newest signal given to a queue, of an event with timing. Its binary event is kept until
  /// the next one is given: it has the time.
  struct Newest {
    uint64_t number = 0;  // 0: there was none
    Binary binary;        // none: held back, or failed
    Ref<Queue> queue;     // none: known to have happened
    nxs_ticket ticket = 0;
    std::shared_ptr<const Failure> failure;  // why it was never submitted
  };

  /// Throws where another thread has closed it. Under mutex_.
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
  Binary shared_;         // of an event that processes share, from its making to its end; else none
  Ref<Native> shared_native_;  // that one, under mutex_; none from close on
  bool imported_ = false;
  std::mutex mutex_;
  Condition changed_;
  uint64_t level_ = 0;                          // under mutex_, as all below
  uint64_t given_ = 0;                          // how many signals were given
  uint64_t expected_ = 0;                       // how many of them are held back
  std::vector<PendingSignal> pending_signals_;  // in the order of their submission
  std::vector<Binary> free_;
  std::vector<Waiter> waiters_;  // queues that hold back work until a level's signal is submitted
  Newest newest_;
};

/// Gives a queue a signal or a wait: submits it, or holds it back behind what is held back
/// already or until its own signal is submitted. Returns where it stands in the queue.
QueuePosition enqueueSignal(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes);
QueuePosition enqueueWait(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes);

}  // namespace nexus::core
