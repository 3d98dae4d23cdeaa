// SPDX-License-Identifier: Apache-2.0
//
// Preparing a schedule for its runs, and the time that a run took.
#include "execution/schedule.hpp"

namespace nexus::core {

void Schedule::prepare(Queue &queue) {
  const Lock lock(mutex_);
  checkRun();
  if (sent_version_ != argument_version_) {
    sendArguments(nullptr);
  }
  for (const Step &step : steps_) {
    if (step.own_command == nullptr) {
      device_.plugin().callIfSupported(&nxs_functions::PrepareSchedule, "prepare a schedule",
                                       pieces_[step.piece], queue.id());
    }
  }
}

void Schedule::makeTiming() {
  if (end_) {
    return;
  }
  if (!device_.plugin().has(NXS_Capability_Timing)) {
    throw Failure(NXS_NotSupported, "settings has Timing, and the backend " +
                                        device_.plugin().name +
                                        " does not take times; run the schedule without it.");
  }
  begin_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
  end_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
}

// Reads both signals under the mutex, so that they are of one run.
double Schedule::elapsed() {
  const Lock lock(mutex_);
  if (!end_) {
    throw Failure(NXS_ProfilingInfoNotAvailable,
                  "No run of the schedule had timing; run it with timing first.");
  }
  if (!end_->newestHappened()) {
    throw Failure(NXS_InvalidOperation,
                  "The newest run with timing has not finished; wait for it first.");
  }
  return Event::elapsed(*begin_, *end_);
}

std::optional<double> Schedule::knownElapsed() {
  const Lock lock(mutex_);
  if (!end_ || !begin_->hasTime() || !end_->hasTime()) {
    return std::nullopt;
  }
  return Event::elapsed(*begin_, *end_);
}

}  // namespace nexus::core
