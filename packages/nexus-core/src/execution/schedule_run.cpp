// SPDX-License-Identifier: Apache-2.0
//
// Preparing and running schedules, and the time that a run took.

#include <algorithm>
#include <utility>

#include "base/process.hpp"
#include "execution/schedule.hpp"
#include "memory/copy_order.hpp"
#include "memory/cross_device_copy.hpp"
#include "stream/own_work.hpp"
#include "stream/running_call.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

void Schedule::run(Queue &queue, nxs_execution_settings settings, uint64_t timeout,
                   uint64_t times) {
  const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
  if (timeout != UINT64_MAX) {
    // Otherwise the plug-in may finish the work on this thread, which no timeout ends.
    settings |= NXS_ExecutionSettings_NonBlocking;
  }
  QueuePosition position = 0;
  {
    DeferredWakes wakes;
    Before before;
    position = locked(
        [&](uint64_t shape) { return submit(shape, queue, settings, times, wakes, before); });
  }
  if (blocking) {
    queue.wait(position, timeout);
  }
}

// Called for every run. Allocates nothing if the schedule is one piece.
QueuePosition Schedule::submit(uint64_t shape, Queue &queue, nxs_execution_settings settings,
                               uint64_t times, DeferredWakes &wakes, Before &before) {
  Plan &plan = preparePlan(shape, before);
  if (plan.has_older_runs) [[unlikely]] {
    plan.has_older_runs = findOlderRuns(before);
  }
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  if (!plan.isOnePiece() || !queue.direct() || timed || plan.has_older_runs) [[unlikely]] {
    return submitSegments(queue, settings, times, wakes, before);
  }
  QueuePosition position = 0;
  Segment &segment = plan.segments[0];
  forEachRun(times, settings, [&](nxs_execution_settings own) {
    position = submitTo(
        queue, [&](Queue &into) { return runNative(segment, into, own); },
        nameOf(segment, run_count_ + 1));
    noteRun(queue, position, before);
  });
  return position;
}

// Calls each(settings): only the last of several runs may be blocking. Ctrl-C ends the loop.
template <class Each>
void Schedule::forEachRun(uint64_t times, nxs_execution_settings settings, const Each &each) {
  constexpr uint64_t kUninterrupted = 256;  // runs
  for (uint64_t left = times; left != 0; --left) {
    each(left == 1 ? settings : settings | NXS_ExecutionSettings_NonBlocking);
    if (left % kUninterrupted == 0) checkInterrupt();
  }
}

// Notes a submitted run of the plan.
void Schedule::noteRun(Queue &queue, QueuePosition position, Before &before) {
  if (plan_->members.size() == 1) [[likely]] {
    noteOwnRun(1, queue, position, before.own);
    return;
  }
  for (const Member &member : plan_->members) {
    Ref<Queue> last;
    member.schedule->noteOwnRun(member.runs, queue, position, last);
    if (last) before.more().nested.push_back(std::move(last));
  }
}

// last: gets the queue of the run before, if that was another one.
void Schedule::noteOwnRun(uint64_t runs, Queue &queue, QueuePosition position, Ref<Queue> &last) {
  run_count_ += runs;
  runs_->noteSerialized(queue, position);
  last_run_.position = position;
  if (last_run_.queue.get() != &queue) [[unlikely]] {
    last = std::exchange(last_run_.queue, Ref(queue));
  }
}

QueuePosition Schedule::submitSegments(Queue &queue, nxs_execution_settings settings,
                                       uint64_t times, DeferredWakes &wakes, Before &before) {
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  if (timed) makeTiming();
  checkSignals();
  if (plan_->has_older_runs) orderAfterOlderRuns(queue, wakes);
  if (timed || !plan_->isOnePiece()) orderAfterLastRuns(queue, wakes);
  QueuePosition position = queue.newest();
  bool first = true;
  try {
    if (timed) enqueueSignal(queue, *begin_, 1, wakes);
    forEachRun(times, settings & ~NXS_ExecutionSettings_Timing, [&](nxs_execution_settings own) {
      if (!std::exchange(first, false)) checkSignals();
      position = submitRun(queue, own, wakes, before);
    });
    if (timed) position = enqueueSignal(queue, *end_, 1, wakes);
  } catch (const Failure &failure) {
    if (timed) end_->failNewSignal(failure, wakes);
    throw;
  }
  return position;
}

// Submits the segments of one run.
QueuePosition Schedule::submitRun(Queue &queue, nxs_execution_settings settings,
                                  DeferredWakes &wakes, Before &before) {
  const uint64_t run = run_count_ + 1;
  QueuePosition position = 0;
  bool begun = false;
  try {
    for (Segment &segment : plan_->segments) {
      position = submitSegment(segment, queue, settings, run, wakes, before);
      begun = true;
    }
  } catch (const Failure &) {
    // Segments submitted before the failure use the buffers and this run's values, so they count.
    if (begun) noteRun(queue, position, before);
    throw;
  }
  if (!begun) position = queue.newest();  // nothing to do
  noteRun(queue, position, before);
  return position;
}

QueuePosition Schedule::submitSegment(Segment &segment, Queue &queue,
                                      nxs_execution_settings settings, uint64_t run,
                                      DeferredWakes &wakes, Before &before) {
  if (segment.isNative() && queue.direct()) {
    return submitTo(
        queue, [&](Queue &into) { return runNative(segment, into, settings); },
        nameOf(segment, run));
  }
  if (segment.isNative() || !segment.own_command->event_) {
    return held(segment, queue, settings, run, before, true)(queue, wakes);
  }
  const Command &command = *segment.own_command;
  const uint64_t value = valueOfRun(command, command.schedule_.run_count_ + 1 + segment.earlier);
  return command.type_ == NXS_CommandType_Signal
             ? enqueueSignal(queue, *command.event_, value, wakes)
             : enqueueWait(queue, *command.event_, value, wakes);
}

nxs_ticket Schedule::runNative(const Segment &segment, Queue &queue,
                               nxs_execution_settings settings) {
  for (Schedule *each : segment.of) {
    Recorded &to = *each->recorded_;
    if (to.argument_version != each->argument_version_) [[unlikely]] {
      each->sendArguments(to, nullptr);
    }
  }
  return queue.call(&nxs_functions::RunSchedule, "run a schedule", segment.native, queue.id(),
                    settings);
}

// Returns the value that a signal or wait command uses in a run.
uint64_t Schedule::valueOfRun(const Command &command, uint64_t run) {
  uint64_t value = 0;
  if (__builtin_mul_overflow(run - command.first_run_, command.step_, &value) ||
      __builtin_add_overflow(command.value_, value, &value)) {
    failWith(NXS_InvalidValue, "Run ", run,
             " of the schedule would use an event value above 64 bits; set the command's value "
             "again.");
  }
  return value;
}

void Schedule::checkSignals() const {
  for (const Segment &segment : plan_->segments) {
    const Command *command = segment.own_command;
    if (command == nullptr || !command->event_) continue;
    const uint64_t value =
        valueOfRun(*command, command->schedule_.run_count_ + 1 + segment.earlier);
    if (command->type_ == NXS_CommandType_Signal) {
      command->event_->checkSignal(value);
    }
  }
}

// Runs of one schedule never overlap. The plug-in ensures that for each piece, even if a held one
// is submitted later. With more segments, a run waits for earlier runs in other queues, also for
// those of nested schedules.
void Schedule::orderAfterLastRuns(Queue &queue, DeferredWakes &wakes) {
  std::vector<const Queue *> ordered;
  for (const Member &member : plan_->members) {
    Schedule &each = *member.schedule;
    Queue *last = each.last_run_.queue.get();
    if (last == nullptr || last == &queue ||
        std::find(ordered.begin(), ordered.end(), last) != ordered.end() ||
        last->isDone(each.last_run_.position)) {
      continue;
    }
    if (last->ended()) {
      failWith(NXS_InvalidOperation,
               "The run before this one is still in flight in a stream that was closed; wait "
               "for the device, then run the schedule again.");
    }
    if (!each.order_) {
      each.order_ = make<Event>(device_, NXS_EventType_Shared);
    }
    ++each.order_value_;
    enqueueSignal(*last, *each.order_, each.order_value_, wakes);
    enqueueWait(queue, *each.order_, each.order_value_, wakes);
    if (plan_->members.size() > 1) ordered.push_back(last);  // else it allocates for nothing
  }
}

void Schedule::orderAfterOlderRuns(Queue &queue, DeferredWakes &wakes) {
  for (const Member &member : plan_->members) {
    for (const QueuedWork &run : member.schedule->older_runs_) {
      if (run.queue.get() != &queue) orderAfter(queue, run, wakes);
    }
  }
}

// Drops the older runs that are done; returns whether there are others.
bool Schedule::findOlderRuns(Before &before) {
  bool found = false;
  for (const Member &member : plan_->members) {
    std::vector<QueuedWork> left;
    for (QueuedWork &run : std::exchange(member.schedule->older_runs_, {})) {
      if (run.queue->isDone(run.position)) {
        before.more().released.runs.push_back(std::move(run));
      } else {
        left.push_back(std::move(run));
      }
    }
    found = found || !left.empty();
    member.schedule->older_runs_ = std::move(left);
  }
  return found;
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

// Passes the arguments of a snapshot to the plug-in, unless it has them; the present ones for NULL.
void Schedule::sendArguments(Recorded &to, const Snapshot *snapshot) {
  const uint64_t version = snapshot != nullptr ? snapshot->version : argument_version_;
  if (to.argument_version == version) return;
  to.argument_version = UINT64_MAX;  // if one is refused, the plug-in has no whole version
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i]->kernel_) continue;
    const std::vector<Argument> &arguments =
        snapshot != nullptr ? snapshot->arguments[i] : commands_[i]->arguments_;
    for (uint32_t k = 0; k < arguments.size(); ++k) {
      commands_[i]->sendArgument(to.ids[i], k, arguments[k]);
    }
  }
  to.argument_version = version;
}

namespace {

// Enqueues work of a call, which no caller knows: a failure names it.
template <typename Submit>
QueuePosition enqueueInCall(Queue &queue, const Submit &submit, const WorkName &name,
                            DeferredWakes &wakes) {
  try {
    return enqueueWork(queue, submit, name, wakes);
  } catch (const Failure &failure) {
    throw failure.with(name.notSubmitted());
  }
}

/// Locks several schedules, whose numbers grow.
class Locks {
 public:
  void add(std::mutex &mutex) { locks_.emplace_back(mutex); }

 private:
  LogHold hold_;  // destroyed after the locks
  std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace

class Schedule::HeldSegment {
 public:
  // Under the mutexes of the segment's schedules. only_once: it is submitted at most once.
  HeldSegment(const Segment &segment, nxs_execution_settings settings, bool only_once)
      : name(segment.name),
        once(only_once),
        parts_(segment.parts),
        joined_(segment.joined),
        native_(segment.native),
        // The thread that submits it will not wait for it.
        settings_(settings | NXS_ExecutionSettings_NonBlocking) {
    for (Schedule *each : segment.of)
      all_.push_back({Ref(each), each->snapshot(), each->recorded_});
    for (Schedule *each : segment.of) ++each->held_pieces_;
  }
  ~HeldSegment();
  HeldSegment(const HeldSegment &) = delete;
  HeldSegment &operator=(const HeldSegment &) = delete;

  nxs_ticket submit(Queue &queue);

  const WorkName name;
  const bool once;

 private:
  struct Held {
    Ref<Schedule> schedule;
    std::shared_ptr<const Snapshot> arguments;
    Ref<Recorded> recorded;
  };

  bool counted_ = true;  // in held_pieces_
  std::vector<Held> all_;
  std::vector<Ref<Native>> parts_;
  Ref<Native> joined_;  // released before what it runs
  const nxs_id native_;
  const nxs_execution_settings settings_;
};

Schedule::HeldSegment::~HeldSegment() {
  for (const Held &held : all_) {
    Schedule &schedule = *held.schedule;
    if (!schedule.ofThisProcess()) continue;
    Released released;  // destroyed after the lock
    const Lock lock(schedule.mutex_);
    if (counted_) --schedule.held_pieces_;
    if (schedule.closed() && schedule.outers_ == 0 && schedule.held_pieces_ == 0) {
      schedule.letGo(released);
    }
  }
}

nxs_ticket Schedule::HeldSegment::submit(Queue &queue) {
  Locks locks;
  for (const Held &held : all_) locks.add(held.schedule->mutex_);
  for (const Held &held : all_) {
    held.schedule->sendArguments(*held.recorded, held.arguments.get());
  }
  const nxs_ticket ticket =
      queue.call(&nxs_functions::RunSchedule, "run a schedule", native_, queue.id(), settings_);
  // Now, since who waits for the run may then close the schedule and look for what that releases.
  if (once) {
    for (const Held &held : all_) --held.schedule->held_pieces_;
    counted_ = false;
  }
  return ticket;
}

// ---- Conditions ------------------------------------------------------------------

// It runs the bodies in a queue of its call.
class Schedule::Condition final : public Callee {
 public:
  // run: the queue of the run, whose end also ends a condition in a body of another.
  Condition(const Command &command, Queue &run, std::vector<std::vector<Enqueue>> bodies)
      : type_(command.type_),
        max_count_(command.max_count_),
        value_(command.arguments_[0].rangeMemory(), command.arguments_[0].range()),
        device_(command.schedule_.device_),
        run_(run),
        bodies_(std::move(bodies)) {}

  void call(RunningCall &running, const WorkName &work) const override;

 private:
  uint32_t read(Queue &queue, const WorkName &work) const;
  void runBody(std::size_t index, Queue &queue) const;
  bool hasToEnd() const noexcept;
  void requireGoingOn(const WorkName &work) const;
  void wait(Queue &queue) const;

  const nxs_command_type type_;
  const uint64_t max_count_;
  const Part value_;
  Device &device_;
  const Ref<Queue> run_;
  const std::vector<std::vector<Enqueue>> bodies_;
};

void Schedule::Condition::call(RunningCall &running, const WorkName &work) const {
  Queue &queue = running.queueFor(device_);
  if (type_ != NXS_CommandType_While) {
    const uint32_t value = read(queue, work);
    runBody(type_ == NXS_CommandType_Switch ? value : value != 0 ? 0 : 1, queue);
    wait(queue);
    return;
  }
  for (uint64_t turn = 0; turn != max_count_ && read(queue, work) != 0; ++turn) {
    requireGoingOn(work);
    runBody(0, queue);
  }
  wait(queue);
}

// Returns the integer as it is after the work of the queue.
uint32_t Schedule::Condition::read(Queue &queue, const WorkName &work) const {
  uint32_t value = 0;
  {
    DeferredWakes wakes;
    const auto submit = [this, &value](Queue &into) {
      return readPart(value_, 0, &value, sizeof(value), into);
    };
    (void)enqueueInCall(queue, submit, work, wakes);
  }
  wait(queue);
  return value;
}

// Waits for the work of the call's queue. Ends its loops when the run has to end.
void Schedule::Condition::wait(Queue &queue) const {
  const QueuePosition newest = queue.newest();
  while (!queue.waitPart(newest, kWaitSlice)) {
    if (hasToEnd()) queue.stopLoops();
  }
}

void Schedule::Condition::runBody(std::size_t index, Queue &queue) const {
  if (index >= bodies_.size()) return;
  DeferredWakes wakes;
  for (const Enqueue &segment : bodies_[index]) (void)segment(queue, wakes);
}

bool Schedule::Condition::hasToEnd() const noexcept {
  return run_->ended() || ofProcess<OwnWork>().finishing();
}

void Schedule::Condition::requireGoingOn(const WorkName &work) const {
  if (!hasToEnd()) return;
  throw Failure(
      NXS_Cancelled,
      work.failed(std::string(run_->ended() ? "The stream was closed" : "The process ends") +
                  " before the condition of the while command was 0; set it to 0, or give "
                  "max_count."));
}

Schedule::Enqueue Schedule::held(Segment &segment, Queue &queue, nxs_execution_settings settings,
                                 uint64_t run, Before &before, bool once) {
  const WorkName &name = nameOf(segment, run);
  if (segment.isNative()) {
    // `before` also owns it, since it must not be destroyed under the mutexes.
    return [kept = before.more().released.held.emplace_back(std::make_shared<HeldSegment>(
                segment, settings, once))](Queue &into, DeferredWakes &wakes) {
      const auto submit = [kept](Queue &ready) { return kept->submit(ready); };
      // Not submitted at once under the mutexes of the run, even if the queue's held work has been
      // submitted since submitSegment() looked.
      return kept->once ? holdWork(into, submit, kept->name, wakes)
                        : enqueueInCall(into, submit, kept->name, wakes);
    };
  }
  const Command &command = *segment.own_command;
  if (command.type_ == NXS_CommandType_Copy) {
    // Copies the bytes that the source has when the queue reaches the copy, as a plug-in's does.
    const Argument &to = command.arguments_[0];
    const Argument &from = command.arguments_[1];
    return [source = Part(from.rangeMemory(), from.range()),
            destination = Part(to.rangeMemory(), to.range()),
            name](Queue &into, DeferredWakes &wakes) {
      return make<CrossDeviceCopy>(source, destination, name)->enqueue(into, wakes);
    };
  }
  Ref<Callee> callee(command.function_.get());
  std::vector<CallMemory> memories;
  if (command.isCondition()) {
    std::vector<std::vector<Enqueue>> bodies;
    for (std::vector<Segment> &body : segment.bodies) {
      std::vector<Enqueue> &segments = bodies.emplace_back();
      for (Segment &each : body)
        segments.push_back(held(each, queue, settings, run, before, false));
    }
    callee = Ref<Callee>(*make<Condition>(command, queue, std::move(bodies)));
  } else {
    for (const Argument &each : command.arguments_) {
      memories.push_back({each.memory->id(), Ref<Counted>(each.arena.get()), each.base});
    }
  }
  return [callee, memories, name](Queue &into, DeferredWakes &wakes) {
    return enqueueCall(into, callee, memories, name, wakes);
  };
}

void Schedule::prepare(Queue &queue) {
  Before before;  // destroyed after the locks
  locked([&](uint64_t shape) { prepareSegments(preparePlan(shape, before).segments, queue); });
}

void Schedule::prepareSegments(const std::vector<Segment> &segments, Queue &queue) const {
  for (const Segment &segment : segments) {
    for (const std::vector<Segment> &body : segment.bodies) prepareSegments(body, queue);
    if (!segment.isNative()) continue;
    for (Schedule *each : segment.of) each->sendArguments(*each->recorded_, nullptr);
    device_.plugin().callIfSupported(&nxs_functions::PrepareSchedule, "prepare a schedule",
                                     segment.native, queue.id());
  }
}

void Schedule::makeTiming() {
  if (end_) return;
  if (!device_.plugin().has(NXS_Capability_Timing)) {
    failWith(NXS_NotSupported, "settings has Timing, and the backend ", device_.plugin().name,
             " does not measure times; run the schedule without timing.");
  }
  begin_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
  end_ = make<Event>(device_, NXS_EventType_Signal, Event::Timing::On);
}

// Reads both signals under the mutex, so that they are of one run.
double Schedule::elapsed() {
  const Lock lock(mutex_);
  if (!end_) {
    failWith(NXS_ProfilingInfoNotAvailable,
             "No run of the schedule had timing; run it with timing=True first.");
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
