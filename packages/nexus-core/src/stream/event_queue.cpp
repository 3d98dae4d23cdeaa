// SPDX-License-Identifier: Apache-2.0
//
// Signals and waits in queues.
#include <algorithm>

#include "device/device.hpp"
#include "stream/event.hpp"

namespace nexus::core {

void Event::checkWait(uint64_t value) const {
  if (oneShot() && value > 1) {
    failWith(NXS_InvalidValue, "value is ", value, ", and a ",
             (type_ == NXS_EventType_Signal ? "Signal" : "Fence"),
             " event has only the values 0 and 1; give 1, or use a Shared event.");
  }
}

void Event::checkSignal(uint64_t value) {
  requireSignal();
  checkWait(value);
  const Lock lock(mutex_);
  refresh();
  if (oneShot() ? value == 0 : value < level_) {
    failWith(NXS_InvalidValue, "value is ", value,
             (oneShot() ? ", and Signal and Fence events are signalled only with 1; give 1, or use "
                          "a Shared event."
                        : ", and the event is at " + std::to_string(level_) +
                              " already; it only grows."));
  }
}

Event::Signal Event::nextSignal(uint64_t value) const {
  return {given_ + 1, oneShot() ? given_ + 1 : value};
}

nxs_ticket Event::submitSignal(Queue &queue, uint64_t value, DeferredWakes &wakes) {
  const Lock lock(mutex_);
  const Signal signal = nextSignal(value);
  const nxs_ticket ticket = submit(queue, signal, wakes);
  given_ = signal.number;
  return ticket;
}

Event::Signal Event::expectSignal(uint64_t value) {
  const Lock lock(mutex_);
  const Signal signal = nextSignal(value);
  given_ = signal.number;
  ++expected_;
  if (timed()) {
    setNewest({signal.number, {}, {}, 0, nullptr});
  }
  return signal;
}

nxs_ticket Event::submitExpected(Queue &queue, const Signal &signal, DeferredWakes &wakes) {
  const Lock lock(mutex_);
  const nxs_ticket ticket = submit(queue, signal, wakes);
  --expected_;
  return ticket;
}

nxs_ticket Event::submit(Queue &queue, const Signal &signal, DeferredWakes &wakes) {
  if (closed()) {
    throw closedFailure();
  }
  requireSignal();
  refresh();
  if (signal.level <= level_ && !timed()) return 0;
  Binary binary = takeBinary(queue.device());
  nxs_ticket ticket = 0;
  try {
    queue.device().plugin().call(&nxs_functions::SignalEvent, "signal an event", binary.id,
                                 queue.id(), &ticket);
  } catch (...) {
    if (!isShared(binary)) free_.push_back(binary);
    throw;
  }
  queue.submitted(ticket);
  pending_signals_.push_back({signal.level, Ref(queue), ticket, binary, nullptr, false});
  if (timed() && signal.number >= newest_.number) {
    setNewest({signal.number, binary, Ref(queue), ticket, nullptr});
  }
  takeWaiters(signal.level, wakes);
  changed_->notify_all();
  return ticket;
}

void Event::failSignal(const Signal &signal, const Failure &cause, DeferredWakes &wakes) {
  const Lock lock(mutex_);
  --expected_;
  fail(signal, cause, wakes);
}

void Event::fail(const Signal &signal, const Failure &cause, DeferredWakes &wakes) {
  if (closed()) return;
  const auto shared = std::make_shared<const Failure>(cause);
  if (timed() && signal.number >= newest_.number) {
    setNewest({signal.number, {}, {}, 0, shared});
  }
  if (signal.level > level_) {
    pending_signals_.push_back({signal.level, {}, 0, {}, shared, false});
    takeWaiters(signal.level, wakes);
    changed_->notify_all();
  }
}

uint64_t Event::levelOf(uint64_t value) {
  if (!oneShot() || value == 0) return value;
  const Lock lock(mutex_);
  return std::max<uint64_t>(given_, 1);
}

std::optional<nxs_ticket> Event::submitWait(Queue &queue, uint64_t level, bool wake) {
  const Lock lock(mutex_);
  if (closed()) {
    throw closedFailure();
  }
  if (imported_) return level == 0 ? 0 : submitImportedWait(queue);
  refresh();
  // The queue may have been woken for another reason. It then no longer waits for this event.
  if (wake) removeWaiter(queue, level);
  if (level <= level_) return 0;
  PendingSignal *pending = find(level);
  if (pending == nullptr) {
    if (wake) addWaiter(queue, level);
    return std::nullopt;
  }
  if (pending->failure != nullptr) {
    throw *pending->failure;
  }
  if (pending->queue.get() == &queue) {
    return 0;  // work in one queue is ordered
  }
  if (&pending->queue->device().runtime() != &queue.device().runtime()) {
    // Binary events don't work across backends: hold back until the signal has happened.
    pending->queue->throwFailure(pending->ticket);
    if (wake) {
      addWaiter(queue, level);
      watch(*pending);
    }
    return std::nullopt;
  }
  const nxs_ticket ticket = queue.call(&nxs_functions::WaitEvent, "let a stream wait for an event",
                                       pending->binary.id, queue.id());
  queue.submitted(ticket);
  return ticket;
}

QueuePosition enqueueSignal(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes) {
  if (queue.direct()) {
    const nxs_ticket ticket =
        submitTo(queue, [&](Queue &into) { return event.submitSignal(into, value, wakes); });
    return ticket != 0 ? ticket : queue.newest();
  }
  queue.requireAccepting();  // else the event would expect a signal that is never enqueued
  const Event::Signal signal = event.expectSignal(value);
  try {
    return queue.hold({[held = Ref(event), signal](Queue &into) -> std::optional<nxs_ticket> {
                         DeferredWakes woken;
                         return submitHeld(into, [&](Queue &to) {
                           return held->submitExpected(to, signal, woken);
                         });
                       },
                       [held = Ref(event), signal](const Failure &cause) {
                         DeferredWakes woken;
                         held->failSignal(signal, cause, woken);
                       }},
                      wakes);
  } catch (const Failure &refused) {
    event.failSignal(signal, refused, wakes);
    throw;
  }
}

QueuePosition enqueueWait(Queue &queue, Event &event, uint64_t value, DeferredWakes &wakes) {
  const uint64_t level = event.levelOf(value);
  if (queue.direct()) {
    std::optional<nxs_ticket> ticket;
    try {
      ticket = event.submitWait(queue, level, false);
    } catch (const Failure &) {
      queue.explainRefusal();
      throw;
    }
    if (ticket) return *ticket != 0 ? *ticket : queue.newest();
  }
  return queue.hold({[held = Ref(event), level](Queue &into) {
                       try {
                         return held->submitWait(into, level, true);
                       } catch (const Failure &) {
                         into.explainRefusal(false);
                         throw;
                       }
                     },
                     {}},
                    wakes);
}

}  // namespace nexus::core
