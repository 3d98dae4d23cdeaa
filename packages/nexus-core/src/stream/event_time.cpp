// SPDX-License-Identifier: Apache-2.0
//
// The time between events that were made with timing.
#include <mutex>
#include <utility>

#include "base/lock.hpp"
#include "stream/event.hpp"

namespace nexus::core {

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
  if (newest_.failure != nullptr) {
    return NXS_CompletionState_Failed;
  }
  if (newest_.binary.id == 0) {
    return NXS_CompletionState_Running;  // held back
  }
  if (!newest_.queue) {
    return NXS_CompletionState_Completed;
  }
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
    throw Failure(NXS_InvalidOperation,
                  std::string(name) +
                      " was never signalled in a stream, which is what gives it a time (a signal "
                      "from the host has none); signal it in a stream, or record one.");
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
    throw Failure(
        NXS_ProfilingInfoNotAvailable,
        std::string(name) +
            " takes no times; make it with timing, or take what a stream's record gives.");
  }
}

void Event::requireHappened(const char *name) {
  if (!checkNewest(name)) {
    throw Failure(NXS_InvalidOperation, std::string("The newest signal of ") + name +
                                            " has not happened yet; wait for it first.");
  }
  const Device &device = *newest_.binary.device;
  if (!device.plugin().has(NXS_Capability_Timing)) {
    throw Failure(NXS_ProfilingInfoNotAvailable,
                  std::string("The newest signal of ") + name + " was in a stream of '" +
                      device.selector() +
                      "', whose backend takes no times; signal it in a stream "
                      "of '" +
                      device_.selector() + "'.");
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
    throw Failure(NXS_InvalidDevice,
                  "start was signalled in a stream of '" + from.device->selector() +
                      "' and end in one of '" + to.device->selector() +
                      "', whose clocks differ; signal both in streams of one device.");
  }
  double nanoseconds = 0;
  to.device->plugin().call(&nxs_functions::GetElapsedTime, "tell the time between two events",
                           from.id, to.id, &nanoseconds);
  if (nanoseconds < 0) {
    throw Failure(NXS_InvalidValue, "start happened " + std::to_string(-nanoseconds / 1e6) +
                                        " ms after end; exchange the two events.");
  }
  return nanoseconds;
}

}  // namespace nexus::core
