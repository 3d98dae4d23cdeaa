// SPDX-License-Identifier: Apache-2.0
#include "stream/event.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "object/property.hpp"
#include "stream/in_flight_set.hpp"

namespace nexus::core {

namespace {

int64_t nextNumber() {
  static std::atomic<int64_t> number{0};
  return number.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Event::Event(Device &device, nxs_event_type type, Timing timing)
    : ListedObject(kType), device_(device), type_(type), timing_(timing), number_(nextNumber()) {
  if (type < NXS_EventType_Shared || type > NXS_EventType_Fence) {
    failWith(NXS_InvalidValue, "type is ", type, "; give Shared (0), Signal (1) or Fence (2).");
  }
  if (timed() && !device.plugin().has(NXS_Capability_Timing)) {
    failWith(NXS_NotSupported, "settings has Timing, and the backend ", device.plugin().name,
             " does not measure times; create the event without timing.");
  }
}

Event::~Event() {
  if (ofThisProcess() && !closed()) {
    onClose();
  }
}

void Event::onClose() {
  DeferredWakes wakes;  // waiting queues learn that the event is closed
  std::vector<PendingSignal> signals;
  std::vector<Binary> binaries;
  Ref<Native> shared;
  {
    const Lock lock(mutex_);
    takeWaiters(UINT64_MAX, wakes);
    setNewest({});
    signals.swap(pending_signals_);
    binaries.swap(free_);
    std::swap(shared, shared_native_);
    changed_->notify_all();
  }
  for (const PendingSignal &pending : signals) {
    if (!isShared(pending.binary)) binaries.push_back(pending.binary);
  }
  for (const Binary &binary : binaries) {
    if (binary.id != 0) {
      releaseNative(binary.device->plugin(), &nxs_functions::ReleaseEvent, binary.id, "event");
    }
  }
}

void Event::requireOpen() const {
  if (closed()) {
    refuseObject(this, kType, "event");
  }
}

Failure Event::closedFailure() {
  return {NXS_Cancelled,
          "The event was closed while something waited for it; signal it before closing it."};
}

// ---- The timeline -------------------------------------------------------------

void Event::dropPending(std::size_t index) {
  const Binary binary = pending_signals_[index].binary;
  if (binary.id != 0 && binary.id != newest_.binary.id && !isShared(binary)) {
    // A stream that waits for the event waits for this signal, even if the binary event is
    // signalled again.
    free_.push_back(binary);
  }
  pending_signals_.erase(pending_signals_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool Event::hasPending(const Binary &binary) const {
  return std::any_of(pending_signals_.begin(), pending_signals_.end(),
                     [&](const PendingSignal &pending) { return pending.binary.id == binary.id; });
}

bool Event::hasFailed(const PendingSignal &pending) {
  return !pending.queue || pending.queue->state(pending.ticket) == NXS_CompletionState_Failed;
}

void Event::reach(uint64_t level) {
  level_ = std::max(level_, level);
  for (std::size_t i = pending_signals_.size(); i-- > 0;) {
    if (pending_signals_[i].level <= level_ && hasFailed(pending_signals_[i])) {
      dropPending(i);  // a failure does not matter once others have reached its level
    }
  }
}

void Event::refresh() {
  uint64_t reached = 0;
  // a queue with running work: its later signals are not complete either
  const Queue *behind = nullptr;
  for (std::size_t i = 0; i < pending_signals_.size();) {
    const PendingSignal &pending = pending_signals_[i];
    if (!pending.queue || pending.queue.get() == behind) {
      ++i;
      continue;
    }
    const nxs_completion_state state = pending.queue->state(pending.ticket);
    if (state == NXS_CompletionState_Completed) {
      reached = std::max(reached, pending.level);
      if (pending.binary.id == newest_.binary.id) newest_.queue = {};
      dropPending(i);
    } else if (state == NXS_CompletionState_Failed && pending.level <= level_) {
      dropPending(i);  // as in reach()
    } else {
      behind = pending.queue.get();
      ++i;
    }
  }
  if (reached > level_) {
    reach(reached);
  }
}

Event::PendingSignal *Event::find(uint64_t level) {
  PendingSignal *failed = nullptr;
  for (PendingSignal &pending : pending_signals_) {
    if (pending.level < level) continue;
    if (!hasFailed(pending)) return &pending;
    failed = failed == nullptr ? &pending : failed;
  }
  return failed;
}

void Event::addWaiter(Queue &queue, uint64_t level) {
  for (const Waiter &waiter : waiters_) {
    if (waiter.queue.get() == &queue && waiter.level == level) return;
  }
  waiters_.push_back({Ref(queue), level});
}

void Event::removeWaiter(const Queue &queue, uint64_t level) {
  std::erase_if(waiters_, [&](const Waiter &waiter) {
    return waiter.queue.get() == &queue && waiter.level == level;
  });
}

// Wakes the queues that wait for a pending signal when it is done, from the process' wait thread.
void Event::watch(PendingSignal &pending) {
  if (pending.watched) return;
  whenDoneLater({{pending.queue, pending.ticket}}, [self = Ref(this), level = pending.level] {
    DeferredWakes wakes;
    const Lock lock(self->mutex_);
    self->takeWaiters(level, wakes);
  });
  pending.watched = true;
}

void Event::takeWaiters(uint64_t level, DeferredWakes &wakes) {
  for (std::size_t i = waiters_.size(); i-- > 0;) {
    if (waiters_[i].level <= level) {
      wakes.add(*waiters_[i].queue);
      waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

Event::Binary Event::takeBinary(Device &device) {
  if (shared_.id != 0) {
    requireSameDevice(device, "The stream", device_, "event that processes share is");
    return shared_;
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i].device == &device) {
      const Binary binary = free_[i];
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      return binary;
    }
  }
  // Signals in a stream of a backend without timing have no time.
  const bool has_time = timed() && device.plugin().has(NXS_Capability_Timing);
  const nxs_execution_settings settings = has_time ? NXS_ExecutionSettings_Timing : 0;
  Binary binary{&device, 0};
  device.plugin().call(&nxs_functions::CreateEvent, "make an event", device.id(), settings,
                       &binary.id);
  return binary;
}

// ---- On the host --------------------------------------------------------------

void Event::signal(uint64_t value) {
  if (shared_.id != 0 && !imported_) {
    failWith(NXS_InvalidOperation,
             "The event is shareable, and other processes see signals from streams only; signal it "
             "in a stream of '",
             device_.selector(), "'.");
  }
  checkSignal(value);
  DeferredWakes wakes;
  const Lock lock(mutex_);
  const Signal signal = nextSignal(value);
  given_ = signal.number;
  reach(signal.level);
  takeWaiters(level_, wakes);
  changed_->notify_all();
}

void Event::wait(uint64_t value, uint64_t timeout) {
  checkWait(value);
  const Deadline deadline(timeout);
  if (imported_) {
    waitInParts("The event", deadline, Interrupt::Allowed, [&](uint64_t nanoseconds) {
      return value == 0 || askImported(nanoseconds).state == NXS_CompletionState_Completed;
    });
    return;
  }
  const uint64_t level = levelOf(value);
  waitInParts("The event", deadline, Interrupt::Allowed, [&](uint64_t nanoseconds) {
    Ref<Queue> queue;
    nxs_ticket ticket = 0;
    {
      const LogHold hold;  // what Lock does; it does not work with a condition variable
      std::unique_lock<std::mutex> lock(mutex_);
      if (closed()) {
        throw closedFailure();
      }
      refresh();
      if (level <= level_) return true;
      const PendingSignal *pending = find(level);
      if (pending == nullptr) {
        changed_->wait_for(lock, std::chrono::nanoseconds(nanoseconds));
        return false;
      }
      if (pending->failure != nullptr) {
        throw *pending->failure;
      }
      queue = pending->queue;
      ticket = pending->ticket;
    }
    return queue->waitPart(ticket, nanoseconds);
  });
}

uint64_t Event::value() {
  if (imported_) return isDone() ? 1 : 0;
  const Lock lock(mutex_);
  requireOpen();
  refresh();
  return !oneShot() ? level_ : given_ > 0 && level_ >= given_ ? 1 : 0;
}

bool Event::isDone() {
  if (imported_) return askImported(0).state == NXS_CompletionState_Completed;
  const Lock lock(mutex_);
  requireOpen();
  refresh();
  for (const PendingSignal &pending : pending_signals_) {
    if (pending.failure != nullptr) {
      throw *pending.failure;
    }
    pending.queue->throwFailure(pending.ticket);
  }
  return given_ > 0 && expected_ == 0 && pending_signals_.empty();
}

// ---- Times ----------------------------------------------------------------------

void Event::setNewest(Newest newest) {
  const Binary before = newest_.binary;
  newest_ = std::move(newest);
  if (before.id != 0 && before.id != newest_.binary.id && !hasPending(before)) {
    free_.push_back(before);
  }
}

void Event::failNewSignal(const Failure &cause, DeferredWakes &wakes) {
  const Lock lock(mutex_);
  const Signal signal = nextSignal(1);
  given_ = signal.number;
  fail(signal, cause, wakes);
}

nxs_completion_state Event::newestState() {
  if (newest_.failure != nullptr) return NXS_CompletionState_Failed;
  if (newest_.binary.id == 0) {
    return NXS_CompletionState_Running;  // held back
  }
  if (!newest_.queue) return NXS_CompletionState_Completed;
  const nxs_completion_state state = newest_.queue->state(newest_.ticket);
  if (state == NXS_CompletionState_Completed) {
    newest_.queue = {};
  }
  return state;
}

bool Event::hasTime() {
  const Lock lock(mutex_);
  return newest_.number != 0 && newestState() == NXS_CompletionState_Completed;
}

bool Event::newestHappened() {
  const Lock lock(mutex_);
  return checkNewest("The event");
}

bool Event::checkNewest(const char *name) {
  if (newest_.number == 0) {
    failWith(NXS_InvalidOperation, name,
             " was never signalled in a stream, and a signal from the host has no time; signal it "
             "in a stream, or use an event from Stream.record().");
  }
  const nxs_completion_state state = newestState();
  if (state == NXS_CompletionState_Failed) {
    if (newest_.failure != nullptr) {
      throw *newest_.failure;
    }
    newest_.queue->throwFailure(newest_.ticket);
  }
  return state == NXS_CompletionState_Completed;
}

void Event::requireTiming(const char *name) const {
  if (!timed()) {
    failWith(NXS_ProfilingInfoNotAvailable, name,
             " has no timing; create it with timing=True, or use an event from Stream.record().");
  }
}

void Event::requireHappened(const char *name) {
  if (!checkNewest(name)) {
    failWith(NXS_InvalidOperation, "The newest signal of ", name,
             " has not completed; wait for it first.");
  }
  const Device &device = *newest_.binary.device;
  if (!device.plugin().has(NXS_Capability_Timing)) {
    failWith(NXS_ProfilingInfoNotAvailable, "The newest signal of ", name, " was in a stream of '",
             device.selector(), "', whose backend has no timing; signal it in a stream of '",
             device_.selector(), "'.");
  }
}

double Event::elapsed(Event &start, Event &end) {
  start.requireTiming("start");
  end.requireTiming("end");
  // Lock both at once, so that neither binary event is reused meanwhile.
  const LogHold hold;
  std::unique_lock<std::mutex> first(start.mutex_, std::defer_lock);
  std::unique_lock<std::mutex> second(end.mutex_, std::defer_lock);
  if (&start == &end) {
    first.lock();
  } else {
    std::lock(first, second);
  }
  start.requireOpen();
  end.requireOpen();
  start.requireHappened("start");
  end.requireHappened("end");
  const Binary &from = start.newest_.binary;
  const Binary &to = end.newest_.binary;
  if (from.device != to.device) {
    failWith(NXS_InvalidDevice, "start was signalled in a stream of '", from.device->selector(),
             "' and end in one of '", to.device->selector(),
             "', whose clocks differ; signal both in streams of one device.");
  }
  double nanoseconds = 0;
  to.device->plugin().call(&nxs_functions::GetElapsedTime, "measure the time between two events",
                           from.id, to.id, &nanoseconds);
  if (nanoseconds < 0) {
    failWith(NXS_InvalidValue, "start happened " + std::to_string(-nanoseconds / 1e6) +
                                   " ms after end; exchange the two events.");
  }
  return nanoseconds;
}

namespace {

const char *eventTypeName(nxs_event_type type) {
  switch (type) {
    case NXS_EventType_Shared:
      return "Shared";
    case NXS_EventType_Signal:
      return "Signal";
    default:
      return "Fence";
  }
}

}  // namespace

std::optional<json::Value> Event::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(number_);
    case NP_Type:
      return json::Value(eventTypeName(type_));
    case NP_Value:
      return json::Value(value());
    case NP_Status: {
      if (imported_) return json::Value(isDone() ? "Complete" : "Running");
      const Lock lock(mutex_);
      requireOpen();
      refresh();
      if (pending_signals_.empty()) {
        return json::Value(expected_ > 0 ? "Running" : level_ > 0 ? "Complete" : "Submitted");
      }
      const PendingSignal &newest = pending_signals_.back();
      if (newest.failure != nullptr) {
        return json::Value(newest.failure->status() == NXS_Cancelled ? "Canceled" : "Error");
      }
      return json::Value(
          newest.queue->state(newest.ticket) == NXS_CompletionState_Failed ? "Error" : "Running");
    }
    case NP_NativeHandle:
      return nativeHandle();
    default:
      return std::nullopt;
  }
}

// Returns the native handle of the newest enqueued signal that has a binary event.
std::optional<json::Value> Event::nativeHandle() {
  const Lock lock(mutex_);
  requireOpen();
  const Binary &newest = shared_.id != 0 ? shared_
                         : newest_.binary.id != 0 || pending_signals_.empty()
                             ? newest_.binary
                             : pending_signals_.back().binary;
  return newest.id == 0 ? std::nullopt
                        : NativeProperties{newest.device->plugin(),
                                           &nxs_functions::GetEventProperty, newest.id, "event"}
                              .read(NP_NativeHandle);
}

std::vector<std::string> Event::propertyKeys() {
  std::vector<std::string> keys{"ID", "Keys", "Type", "Value", "Status"};
  if (nativeHandle()) keys.emplace_back("NativeHandle");
  return keys;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_event(nexus_device *device, nxs_event_type type,
                                     nxs_execution_settings settings, nexus_event **out_event) {
  return giveResult(out_event, "out_event", [&] {
    if (settings != 0 && settings != NXS_ExecutionSettings_Timing &&
        settings != NXS_ExecutionSettings_Shareable) {
      failWith(NXS_NotSupported, "settings is ", settings,
               "; give NXS_ExecutionSettings_Timing, NXS_ExecutionSettings_Shareable or 0. A "
               "shareable event has no timing.");
    }
    Device &on = given<Device>(device, "device");
    if (settings == NXS_ExecutionSettings_Shareable) {
      return listed(on, Event::makeShareable(on, type));
    }
    const auto timing = settings != 0 ? Event::Timing::On : Event::Timing::Off;
    return listed(on, make<Event>(on, type, timing));
  });
}

nxs_status nexus_event_get_device(nexus_event *event, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Event>(event, "event").device()); });
}

nxs_status nexus_event_signal(nexus_event *event, uint64_t value) {
  return guarded([&] { given<Event>(event, "event").signal(value); });
}

nxs_status nexus_event_wait(nexus_event *event, uint64_t value, uint64_t timeout) {
  return guarded([&] { given<Event>(event, "event").wait(value, timeout); });
}

nxs_status nexus_event_get_value(nexus_event *event, uint64_t *out_value) {
  return giveResult(out_value, "out_value", [&] { return given<Event>(event, "event").value(); });
}

nxs_status nexus_event_is_done(nexus_event *event, int32_t *out_done) {
  return giveResult(out_done, "out_done",
                    [&] { return given<Event>(event, "event").isDone() ? 1 : 0; });
}

nxs_status nexus_event_get_elapsed_time(nexus_event *start, nexus_event *end,
                                        double *out_nanoseconds) {
  return giveResult(out_nanoseconds, "out_nanoseconds", [&] {
    return Event::elapsed(given<Event>(start, "start"), given<Event>(end, "end"));
  });
}

nxs_status nexus_event_get_event_type(nexus_event *event, nxs_event_type *out_type) {
  return giveResult(out_type, "out_type", [&] { return given<Event>(event, "event").eventType(); });
}
