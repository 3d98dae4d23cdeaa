// SPDX-License-Identifier: Apache-2.0
//
// Preparing and running schedules, and the time that a run took.

#include <utility>

#include "execution/schedule.hpp"
#include "memory/cross_device_copy.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

void Schedule::run(Queue &queue, nxs_execution_settings settings, uint64_t timeout) {
  const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
  if (timeout != UINT64_MAX) {
    // Otherwise the plug-in may finish the work on this thread, which no timeout ends.
    settings |= NXS_ExecutionSettings_NonBlocking;
  }
  QueuePosition position = 0;
  {
    DeferredWakes wakes;
    Ref<Queue> before;
    const Lock lock(mutex_);
    position = submit(queue, settings, wakes, before);
  }
  if (blocking) {
    queue.wait(position, timeout);
  }
}

// Called for every run. Allocates nothing if the schedule is one piece.
QueuePosition Schedule::submit(Queue &queue, nxs_execution_settings settings, DeferredWakes &wakes,
                               Ref<Queue> &before) {
  if (unfinalized_ != 0 || closed()) [[unlikely]] {
    checkRun();
  }
  QueuePosition position = 0;
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  if (steps_.size() == 1 && steps_[0].own_command == nullptr && queue.direct() && !timed)
      [[likely]] {
    Step &step = steps_[0];
    position = submitTo(
        queue, [&](Queue &into) { return runPiece(step.piece, into, settings); },
        nameOf(step, run_count_ + 1));
    ++run_count_;
    runs_->noteSerialized(queue, position);
  } else {
    position = submitSteps(queue, settings, wakes);
  }
  if (last_run_.queue.get() != &queue) {
    before = std::exchange(last_run_.queue, Ref(queue));
  }
  last_run_.position = position;
  return position;
}

QueuePosition Schedule::submitSteps(Queue &queue, nxs_execution_settings settings,
                                    DeferredWakes &wakes) {
  const uint64_t run = run_count_ + 1;
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  if (timed) makeTiming();
  checkSignals(run);
  const bool one_piece = steps_.size() == 1 && steps_[0].own_command == nullptr;
  if (timed || !one_piece) orderAfterLastRun(queue, wakes);
  QueuePosition position = queue.newest();
  bool begun = false;
  try {
    if (timed) enqueueSignal(queue, *begin_, 1, wakes);
    for (Step &step : steps_) {
      position = submitStep(step, queue, settings & ~NXS_ExecutionSettings_Timing, run, wakes);
      begun = true;
    }
    if (timed) position = enqueueSignal(queue, *end_, 1, wakes);
  } catch (const Failure &failure) {
    if (timed) end_->failNewSignal(failure, wakes);
    // Steps submitted before the failure use the buffers and this run's values, so they count.
    if (begun) {
      ++run_count_;
      runs_->noteSerialized(queue, position);
    }
    throw;
  }
  ++run_count_;
  runs_->noteSerialized(queue, position);
  return position;
}

QueuePosition Schedule::submitStep(Step &step, Queue &queue, nxs_execution_settings settings,
                                   uint64_t run, DeferredWakes &wakes) {
  if (step.own_command == nullptr) {
    if (!queue.direct()) return holdPiece(step, queue, settings, run, wakes);
    return submitTo(
        queue, [&](Queue &into) { return runPiece(step.piece, into, settings); },
        nameOf(step, run));
  }
  const Command &command = *step.own_command;
  if (command.type_ == NXS_CommandType_Copy) return copyAcross(step, queue, run, wakes);
  const uint64_t value = valueOfRun(command, run);
  return command.type_ == NXS_CommandType_Signal
             ? enqueueSignal(queue, *command.event_, value, wakes)
             : enqueueWait(queue, *command.event_, value, wakes);
}

// Copies the bytes that the source has when the queue reaches the copy, as a plug-in's copy does.
QueuePosition Schedule::copyAcross(Step &step, Queue &queue, uint64_t run, DeferredWakes &wakes) {
  const Command &command = *step.own_command;
  return make<CrossDeviceCopy>(Part(command.source_, command.from_),
                               Part(command.destination_, command.to_), nameOf(step, run))
      ->enqueue(queue, wakes);
}

nxs_ticket Schedule::runPiece(std::size_t piece, Queue &queue, nxs_execution_settings settings) {
  if (sent_version_ != argument_version_) [[unlikely]] {
    sendArguments(nullptr);
  }
  return queue.call(&nxs_functions::RunSchedule, "run a schedule", pieces_[piece], queue.id(),
                    settings);
}

void Schedule::checkRun() const {
  requireOpen();
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i]->finalized_ && commands_[i]->kernel_) {
      failWith(NXS_InvalidCommand, "Command ", i, " of the schedule, of the kernel '",
               commands_[i]->kernel_->name(), "', is not finalized; call finalize before run.");
    }
  }
}

// Returns the value that a signal or wait command uses in a run.
uint64_t Schedule::valueOfRun(const Command &command, uint64_t run) {
  uint64_t value = 0;
  if (__builtin_mul_overflow(run - command.first_run_, command.step_, &value) ||
      __builtin_add_overflow(command.value_, value, &value)) {
    failWith(NXS_InvalidValue, "Run ", run,
             " of the schedule would use an event's value beyond 64 "
             "bits; set the command's value anew.");
  }
  return value;
}

void Schedule::checkSignals(uint64_t run) const {
  for (const Step &step : steps_) {
    const Command *command = step.own_command;
    if (command == nullptr) continue;
    const uint64_t value = valueOfRun(*command, run);
    if (command->type_ == NXS_CommandType_Signal) {
      command->event_->checkSignal(value);
    }
  }
}

// Runs of one schedule never overlap. The plug-in ensures that for each piece, even if a held one
// is submitted later. With more steps, a run in another queue waits for the run before.
void Schedule::orderAfterLastRun(Queue &queue, DeferredWakes &wakes) {
  Queue *last = last_run_.queue.get();
  if (last == nullptr || last == &queue || last->isDone(last_run_.position)) return;
  if (last->ended()) {
    failWith(NXS_InvalidOperation,
             "The run before this one is still in flight in a stream that was closed; wait "
             "for the device, then run the schedule again.");
  }
  if (!order_) {
    order_ = make<Event>(device_, NXS_EventType_Shared);
  }
  ++order_value_;
  enqueueSignal(*last, *order_, order_value_, wakes);
  enqueueWait(queue, *order_, order_value_, wakes);
}

// ---- Held runs ------------------------------------------------------------------

std::shared_ptr<const Schedule::Snapshot> Schedule::snapshot() {
  std::shared_ptr<const Snapshot> newest = snapshot_.lock();
  if (newest != nullptr && newest->version == argument_version_) return newest;
  auto taken = std::make_shared<Snapshot>();
  taken->version = argument_version_;
  for (const std::unique_ptr<Command> &command : commands_) {
    taken->arguments.push_back(command->arguments_);
  }
  snapshot_ = taken;
  return taken;
}

// Passes the arguments of a snapshot to the plug-in; the present ones for NULL.
void Schedule::sendArguments(const Snapshot *snapshot) {
  sent_version_ = UINT64_MAX;  // if one is refused, the plug-in has no whole version
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const std::vector<Argument> &arguments =
        snapshot != nullptr ? snapshot->arguments[i] : commands_[i]->arguments_;
    for (uint32_t k = 0; k < arguments.size(); ++k) {
      commands_[i]->sendArgument(k, arguments[k]);
    }
  }
  sent_version_ = snapshot != nullptr ? snapshot->version : argument_version_;
}

QueuePosition Schedule::holdPiece(Step &step, Queue &queue, nxs_execution_settings settings,
                                  uint64_t run, DeferredWakes &wakes) {
  // The thread that submits it will not wait for it.
  settings |= NXS_ExecutionSettings_NonBlocking;
  auto submit = [self = Ref(this), piece = step.piece, settings, arguments = snapshot(),
                 name = nameOf(step, run)](Queue &ready) -> std::optional<nxs_ticket> {
    return submitHeld(
        ready, [&](Queue &into) { return self->runHeld(piece, into, settings, *arguments); }, name);
  };
  const QueuePosition position = queue.hold(
      {std::move(submit), [self = Ref(this)](const Failure &) { self->dropHeld(); }}, wakes);
  ++held_pieces_;
  return position;
}

nxs_ticket Schedule::runHeld(std::size_t piece, Queue &queue, nxs_execution_settings settings,
                             const Snapshot &snapshot) {
  const Lock lock(mutex_);
  if (sent_version_ != snapshot.version) {
    sendArguments(&snapshot);
  }
  const nxs_ticket ticket = queue.call(&nxs_functions::RunSchedule, "run a schedule",
                                       pieces_[piece], queue.id(), settings);
  --held_pieces_;
  return ticket;
}

void Schedule::dropHeld() {
  const Lock lock(mutex_);
  --held_pieces_;
}

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
  if (end_) return;
  if (!device_.plugin().has(NXS_Capability_Timing)) {
    failWith(NXS_NotSupported, "settings has Timing, and the backend ", device_.plugin().name,
             " does not take times; run the schedule without it.");
  }
  begin_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
  end_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
}

// Reads both signals under the mutex, so that they are of one run.
double Schedule::elapsed() {
  const Lock lock(mutex_);
  if (!end_) {
    failWith(NXS_ProfilingInfoNotAvailable,
             "No run of the schedule had timing; run it with timing first.");
  }
  if (!end_->newestHappened()) {
    failWith(NXS_InvalidOperation,
             "The newest run with timing has not finished; wait for it first.");
  }
  return Event::elapsed(*begin_, *end_);
}

std::optional<double> Schedule::knownElapsed() {
  const Lock lock(mutex_);
  if (!end_ || !begin_->hasTime() || !end_->hasTime()) return std::nullopt;
  return Event::elapsed(*begin_, *end_);
}

}  // namespace nexus::core
