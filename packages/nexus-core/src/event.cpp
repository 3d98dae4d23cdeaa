// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "native.hpp"
#include "runtime.hpp"
#include "stream.hpp"
#include "use.hpp"

namespace nexus::core {
namespace {

int64_t nextNumber() {
  static std::atomic<int64_t> number{0};
  return number.fetch_add(1, std::memory_order_relaxed) + 1;
}

Failure closedFailure() {
  return {NXS_Cancelled,
          "The event was closed while something waited for it; signal it before closing it."};
}

}  // namespace

Event::Event(Device &device, nxs_event_type type)
    : ListedObject(kType), device_(device), type_(type), number_(nextNumber()) {
  if (type < NXS_EventType_Shared || type > NXS_EventType_Fence) {
    throw Failure(NXS_InvalidValue, "type is " + std::to_string(type) +
                                        "; give Shared (0), Signal (1) or Fence (2).");
  }
}

Event::~Event() {
  if (ofThisProcess() && !closed()) {
    onClose();
  }
}

void Event::onClose() {
  std::vector<Waiter> waiters;
  std::vector<Point> points;
  std::vector<Binary> binaries;
  {
    const Lock lock(mutex_);
    waiters.swap(waiters_);
    points.swap(points_);
    binaries.swap(free_);
    changed_.notify_all();
  }
  for (const Point &point : points) {
    binaries.push_back(point.binary);
  }
  for (const Binary &binary : binaries) {
    if (binary.id != 0) {
      releaseNative(binary.device->plugin(), &nxs_functions::ReleaseEvent, binary.id, "event");
    }
  }
  for (const Waiter &waiter : waiters) {
    waiter.queue->fail(closedFailure());
  }
}

// ---- The timeline -------------------------------------------------------------

void Event::dropPoint(std::size_t index) {
  if (points_[index].binary.id != 0) {
    // Whoever waits for it in a stream waits for that signal, also when it is used again.
    free_.push_back(points_[index].binary);
  }
  points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Event::setBack() {
  value_ = 0;
  while (!points_.empty()) {
    dropPoint(points_.size() - 1);
  }
}

void Event::reach(uint64_t value) {
  value_ = std::max(value_, value);
  for (std::size_t i = points_.size(); i-- > 0;) {
    if (points_[i].failure != nullptr && points_[i].value <= value_) {
      dropPoint(i);
    }
  }
}

void Event::refresh() {
  uint64_t reached = 0;
  const Queue *behind = nullptr;  // its later points are not complete either
  for (std::size_t i = 0; i < points_.size();) {
    const Point &point = points_[i];
    if (!point.queue || point.queue.get() == behind) {
      ++i;
    } else if (point.queue->state(point.ticket) == NXS_CompletionState_Completed) {
      reached = std::max(reached, point.value);
      dropPoint(i);
    } else {
      behind = point.queue.get();
      ++i;
    }
  }
  if (reached > value_) {
    reach(reached);
  }
}

Event::Point *Event::find(uint64_t value) {
  Point *failed = nullptr;
  for (Point &point : points_) {
    if (point.value < value) {
      continue;
    }
    const bool has_failed =
        !point.queue || point.queue->state(point.ticket) == NXS_CompletionState_Failed;
    if (!has_failed) {
      return &point;
    }
    failed = failed == nullptr ? &point : failed;
  }
  return failed;
}

void Event::addWaiter(Queue &queue, uint64_t value) {
  for (const Waiter &waiter : waiters_) {
    if (waiter.queue.get() == &queue && waiter.value == value) {
      return;
    }
  }
  waiters_.push_back({Ref(queue), value});
}

void Event::removeWaiter(const Queue &queue, uint64_t value) {
  std::erase_if(waiters_, [&](const Waiter &waiter) {
    return waiter.queue.get() == &queue && waiter.value == value;
  });
}

// Wakes those who wait for a point when it is done, which libnexus' own thread waits for.
void Event::watch(Point &point) {
  if (point.watched) {
    return;
  }
  whenDoneLater({{point.queue, point.ticket}}, [self = Ref(this), value = point.value] {
    Wakes wakes;
    const Lock lock(self->mutex_);
    self->takeWaiters(value, wakes);
  });
  point.watched = true;
}

void Event::takeWaiters(uint64_t value, Wakes &wakes) {
  for (std::size_t i = waiters_.size(); i-- > 0;) {
    if (waiters_[i].value <= value) {
      wakes.add(*waiters_[i].queue);
      waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

Event::Binary Event::takeBinary(Device &device) {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i].device == &device) {
      const Binary binary = free_[i];
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      return binary;
    }
  }
  Binary binary{&device, 0};
  device.plugin().call(&nxs_functions::CreateEvent, "make an event", device.id(),
                       nxs_execution_settings{0}, &binary.id);
  return binary;
}

// ---- In a queue ---------------------------------------------------------------

void Event::checkWait(uint64_t value) const {
  if (oneShot() && value > 1) {
    throw Failure(NXS_InvalidValue, "value is " + std::to_string(value) + ", and a " +
                                        (type_ == NXS_EventType_Signal ? "Signal" : "Fence") +
                                        " event has the values 0 and 1; use 1, or a Shared event.");
  }
}

void Event::checkSignal(uint64_t value) {
  checkWait(value);
  const Lock lock(mutex_);
  refresh();
  if (oneShot() ? value == 0 : value < value_) {
    throw Failure(NXS_InvalidValue,
                  "value is " + std::to_string(value) +
                      (oneShot() ? "; signal the event with 1."
                                 : ", and the event is at " + std::to_string(value_) +
                                       " already; it only grows."));
  }
}

nxs_ticket Event::submitSignal(Queue &queue, uint64_t value, Wakes &wakes) {
  const Lock lock(mutex_);
  if (closed()) {
    throw closedFailure();
  }
  refresh();
  if (!oneShot() && value <= value_) {
    return 0;
  }
  Binary binary = takeBinary(queue.device());
  nxs_ticket ticket = 0;
  try {
    queue.device().plugin().call(&nxs_functions::SignalEvent, "signal an event", binary.id,
                                 queue.id(), &ticket);
  } catch (...) {
    free_.push_back(binary);
    throw;
  }
  queue.submitted(ticket);
  if (oneShot()) {
    setBack();
  }
  points_.push_back({value, Ref(queue), ticket, binary, nullptr, false});
  takeWaiters(value, wakes);
  changed_.notify_all();
  return ticket;
}

void Event::expectSignal() {
  const Lock lock(mutex_);
  if (oneShot()) {
    setBack();
  }
}

void Event::failSignal(uint64_t value, const Failure &cause) {
  Wakes wakes;
  const Lock lock(mutex_);
  if (closed() || (!oneShot() && value <= value_)) {
    return;
  }
  points_.push_back({value, {}, 0, {}, std::make_shared<const Failure>(cause), false});
  takeWaiters(value, wakes);
  changed_.notify_all();
}

std::optional<nxs_ticket> Event::submitWait(Queue &queue, uint64_t value, bool wake) {
  const Lock lock(mutex_);
  if (closed()) {
    throw closedFailure();
  }
  refresh();
  // It may go on without having been woken by the event, whose end then is none of its business.
  if (wake) removeWaiter(queue, value);
  if (value <= value_) {
    return 0;
  }
  Point *point = find(value);
  if (point == nullptr) {
    if (wake) addWaiter(queue, value);
    return std::nullopt;
  }
  if (point->failure != nullptr) {
    throw *point->failure;
  }
  if (point->queue.get() == &queue) {
    return 0;  // work in one queue is ordered
  }
  if (&point->queue->device().runtime() != &queue.device().runtime()) {
    // Binary events don't cross backends: hold back until the signal has happened.
    point->queue->throwFailure(point->ticket);
    if (wake) {
      addWaiter(queue, value);
      watch(*point);
    }
    return std::nullopt;
  }
  nxs_ticket ticket = 0;
  queue.device().plugin().call(&nxs_functions::WaitEvent, "let a stream wait for an event",
                               point->binary.id, queue.id(), &ticket);
  queue.submitted(ticket);
  return ticket;
}

Position enqueueSignal(Queue &queue, Event &event, uint64_t value, Wakes &wakes) {
  if (queue.direct()) {
    const nxs_ticket ticket =
        submitTo(queue, [&](Queue &into) { return event.submitSignal(into, value, wakes); });
    return ticket != 0 ? ticket : queue.newest();
  }
  event.expectSignal();
  return queue.hold(
      {[held = Ref(event), value](Queue &into) -> std::optional<nxs_ticket> {
         Wakes woken;
         return held->submitSignal(into, value, woken);
       },
       [held = Ref(event), value](const Failure &cause) { held->failSignal(value, cause); }},
      wakes);
}

Position enqueueWait(Queue &queue, Event &event, uint64_t value, Wakes &wakes) {
  if (queue.direct()) {
    std::optional<nxs_ticket> ticket;
    try {
      ticket = event.submitWait(queue, value, false);
    } catch (const Failure &) {
      queue.noteRefusal();
      throw;
    }
    if (ticket) {
      return *ticket != 0 ? *ticket : queue.newest();
    }
  }
  return queue.hold(
      {[held = Ref(event), value](Queue &into) { return held->submitWait(into, value, true); }, {}},
      wakes);
}

// ---- On the host --------------------------------------------------------------

void Event::signal(uint64_t value) {
  checkSignal(value);
  Wakes wakes;
  const Lock lock(mutex_);
  if (oneShot()) {
    setBack();
  }
  reach(value);
  takeWaiters(value_, wakes);
  changed_.notify_all();
}

void Event::wait(uint64_t value, uint64_t timeout) {
  checkWait(value);
  waitInParts("The event", Deadline(timeout), Interrupt::Allowed, [&](uint64_t nanoseconds) {
    Ref<Queue> queue;
    nxs_ticket ticket = 0;
    {
      const LogHold hold;  // as Lock, which a condition variable can't wait with
      std::unique_lock<std::mutex> lock(mutex_);
      if (closed()) {
        throw closedFailure();
      }
      refresh();
      if (value <= value_) {
        return true;
      }
      const Point *point = find(value);
      if (point == nullptr) {
        changed_.wait_for(lock, std::chrono::nanoseconds(nanoseconds));
        return false;
      }
      if (point->failure != nullptr) {
        throw *point->failure;
      }
      queue = point->queue;
      ticket = point->ticket;
    }
    // Complete is enough for a one-shot event too, which a later run may have set back already.
    return queue->waitPart(ticket, nanoseconds);
  });
}

uint64_t Event::value() {
  const Lock lock(mutex_);
  refresh();
  return value_;
}

}  // namespace nexus::core
