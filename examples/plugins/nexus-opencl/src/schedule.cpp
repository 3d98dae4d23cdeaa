// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <algorithm>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Schedule, NXS_ObjectType_Schedule> schedules;

// ---- Recording --------------------------------------------------------

nxs_id Schedule::add(nxs_id own_id, Command::Body body) {
  const bool nested = std::holds_alternative<NestedCommand>(body);
  const std::lock_guard lock(mutex_);
  refuse_in_flight("a command can't be added");
  commands_.reserve(commands_.size() + 1);
  const nxs_id id = commands.create(own_id, std::move(body));
  commands_.push_back(commands.pin(id));
  if (nested) runs_others_.store(true, std::memory_order_release);
  changed();
  return id;
}

void Schedule::remove(const Command &command) {
  std::erase_if(commands_, [&](const Ref<Command> &each) { return each.get() == &command; });
  changed();
}

void Schedule::changed() noexcept {
  ready_ = false;
  runs_ = 0;
  recorded_.clear();
}

void Schedule::refuse_in_flight(const char *what) const {
  if (!last_stream_ || last_stream_->tickets().done(last_ticket_)) return;
  throw Error(NXS_InvalidOperation, what,
              " while a run of the schedule is in flight; wait for its stream first");
}

bool Schedule::contains(const Schedule &other) const {
  if (this == &other) return true;
  std::vector<Ref<Command>> all;
  {
    const std::lock_guard lock(mutex_);
    all = commands_;
  }
  return std::any_of(all.begin(), all.end(), [&](const Ref<Command> &each) {
    const Schedule *nested = each->nested();
    return nested != nullptr && nested->contains(other);
  });
}

void Schedule::release_commands() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Ref<Command> &each : commands_) commands.try_release(commands.id(each));
}

std::size_t Schedule::size() const {
  const std::lock_guard lock(mutex_);
  return commands_.size();
}

// ---- Running ----------------------------------------------------------

// What runs of other schedules are flattened to, with all of those locked.
class Schedule::Flattened {
 public:
  explicit Flattened(Schedule &outer) { add(outer); }

  // The steps of a schedule that may be among those locked already.
  void add(Schedule &schedule) {
    if (std::find(schedules_.begin(), schedules_.end(), &schedule) == schedules_.end()) {
      locks_.emplace_back(schedule.mutex_);
      schedules_.push_back(&schedule);
    }
    schedule.append_steps(steps_, this);
  }

  const std::vector<Schedule *> &schedules() const noexcept { return schedules_; }
  const std::vector<const Command *> &steps() const noexcept { return steps_; }

 private:
  std::vector<std::unique_lock<std::mutex>> locks_;
  std::vector<Schedule *> schedules_;
  std::vector<const Command *> steps_;
};

// Of all that is to be enqueued. others: NULL where there are no runs of other schedules.
void Schedule::append_steps(std::vector<const Command *> &steps, Flattened *others) const {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const Command &command = *commands_[i];
    if (!command.finalized()) {
      throw Error(NXS_InvalidCommand, "command ", i, " (the kernel '",
                  command.kernel()->kernel().name(),
                  "') is not finalized; finalize it before the run");
    }
    if (command.nested() != nullptr) {
      others->add(*command.nested());
    } else if (!command.empty()) {
      steps.push_back(&command);
    }
  }
}

void Schedule::make_ready() {
  if (ready_) return;
  steps_.clear();
  append_steps(steps_, nullptr);
  ready_ = true;
}

namespace {

void enqueue_steps(Enqueuing &work, std::span<const Command *const> steps, WaitList waits) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i]->enqueue(work, i == 0 ? waits : WaitList(), i + 1 == steps.size());
  }
}

}  // namespace

nxs_ticket Schedule::run(const Ref<Stream> &stream) {
  std::unique_lock lock(mutex_);
  if (runs_others_.load(std::memory_order_relaxed)) [[unlikely]] {
    lock.unlock();
    return run_with_others(stream);
  }
  make_ready();
  const Owned<cl_event> before = last_run_elsewhere(*stream);
  const cl_event event = before.get();
  const WaitList waits(&event, before ? 1 : 0);
  // What is run again is worth recording; the arguments of other schedules change each time.
  if (steps_.size() > 1 && runs_ > 0 && !recorded_.tried()) record(stream);
  const bool recorded = recorded_.serves(*stream);
  const nxs_ticket ticket = stream->submit([&](Enqueuing &work) {
    if (recorded) {
      recorded_.enqueue(work, waits);
    } else {
      enqueue_steps(work, steps_, waits);
    }
  });
  if (recorded) recorded_.enqueued(ticket);
  ++runs_;
  note_run(stream, ticket);
  return ticket;
}

// What took so long is over before anybody would notice that Ctrl-C does nothing.
bool Schedule::is_short() {
  constexpr uint64_t kShort = 20'000'000;  // nanoseconds
  const std::lock_guard lock(mutex_);
  if (!measured_ || status_of_event(device_->cl(), measured_.get()) > CL_COMPLETE) {
    return took_ns_ < kShort;
  }
  const auto time = [&](cl_info info) {
    uint64_t at = 0;
    device_->cl().GetEventProfilingInfo(measured_.get(), info, sizeof(at), &at, nullptr);
    return at;
  };
  took_ns_ = time(CL_PROFILING_COMMAND_END) - time(CL_PROFILING_COMMAND_QUEUED);
  measured_ = {};
  return took_ns_ < kShort;
}

nxs_ticket Schedule::run_blocking(const Ref<Stream> &stream) {
  Tickets &tickets = stream->tickets();
  if (!tickets.waits_inside()) return run(stream);
  const bool alone = tickets.done(tickets.completion().last());
  const bool short_run = alone && is_short();
  const nxs_ticket ticket = run(stream);
  Owned<cl_event> event(device_->cl(), tickets.event_of(ticket));
  if (!event) return ticket;
  if (short_run) {
    const cl_event done = event.get();
    device_->cl().WaitForEvents(1, &done);
    tickets.poll();
  }
  const std::lock_guard lock(mutex_);
  if (alone) measured_ = std::move(event);
  return ticket;
}

nxs_ticket Schedule::run_with_others(const Ref<Stream> &stream) {
  // Two runs that lock the same schedules in different orders would wait for each other.
  static std::mutex several;
  const std::lock_guard one_at_a_time(several);
  Flattened all(*this);
  std::vector<Owned<cl_event>> before;
  std::vector<cl_event> events;
  for (const Schedule *schedule : all.schedules()) {
    before.push_back(schedule->last_run_elsewhere(*stream));
    if (before.back()) events.push_back(before.back().get());
  }
  const nxs_ticket ticket =
      stream->submit([&](Enqueuing &work) { enqueue_steps(work, all.steps(), events); });
  for (Schedule *schedule : all.schedules()) schedule->note_run(stream, ticket);
  return ticket;
}

Owned<cl_event> Schedule::last_run_elsewhere(const Stream &stream) const {
  if (!last_stream_ || last_stream_.get() == &stream) return {};
  Tickets &tickets = last_stream_->tickets();
  if (tickets.done(last_ticket_)) return {};
  return Owned<cl_event>(device_->cl(), tickets.event_of(last_ticket_));
}

void Schedule::note_run(const Ref<Stream> &stream, nxs_ticket ticket) {
  if (!(last_stream_ == stream)) last_stream_ = stream;
  last_ticket_ = ticket;
}

void Schedule::record(const Ref<Stream> &stream) {
  (void)recorded_.record(stream, steps_);
}

void Schedule::prepare(const Ref<Stream> &stream) {
  if (runs_others_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  make_ready();
  if (steps_.size() > 1) record(stream);
}

const char *Schedule::status() const {
  const std::lock_guard lock(mutex_);
  if (!last_stream_) return nullptr;
  Tickets &tickets = last_stream_->tickets();
  if (!tickets.done(last_ticket_)) return "Running";
  return tickets.completion().completed() >= last_ticket_ ? "Complete" : "Error";
}

namespace {

constexpr auto schedule_properties = nexus_plugin::property_table<Schedule>({
    {NP_Size, [](const Schedule &schedule) -> Value { return schedule.size(); }},
    {NP_Status,
     [](const Schedule &schedule) -> Value {
       const char *status = schedule.status();
       return status == nullptr ? Value() : Value(status);
     }},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_GET_PROPERTY(Schedule, schedules, schedule_properties)

extern "C" {

nxs_status nxsCreateSchedule(nxs_id device, nxs_id *out_schedule) {
  return guarded(out_schedule, [&] { return schedules.create(device_of(device)); });
}

nxs_status nxsReleaseSchedule(nxs_id schedule) {
  return guarded([&] { schedules.release(schedule)->release_commands(); });
}

nxs_status nxsPrepareSchedule(nxs_id schedule, nxs_id stream) {
  return guarded([&] {
    const Ref<Schedule> prepared = schedules.pin(schedule);
    const Ref<Stream> queue = streams.pin(stream);
    check_same_device("stream", queue->device(), prepared->device());
    prepared->prepare(queue);
  });
}

nxs_status nxsRunSchedule(nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
                          nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Schedule> run = schedules.pin(schedule);
    const Ref<Stream> queue = streams.pin(stream);
    check_same_device("stream", queue->device(), run->device());
    nexus_plugin::check_settings(settings, NXS_ExecutionSettings_NonBlocking);
    const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
    return blocking ? run->run_blocking(queue) : run->run(queue);
  });
}

}  // extern "C"
