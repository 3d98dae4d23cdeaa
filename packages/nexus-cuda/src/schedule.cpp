// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <algorithm>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

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
  nexus_plugin::make_room_for_one(commands_);
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
  ++shape_;
  if (runs_ != 0) graph_follows_ = false;
  ready_ = false;
  runs_ = 0;
  used_in_ = nullptr;
  graph_refused_ = false;
  graph_.clear();
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

// ---- What a run runs --------------------------------------------------

class Schedule::Together {
 public:
  explicit Together(Schedule &outer) { add(outer); }

  // The steps of a schedule that may be among those locked already.
  void add(Schedule &schedule) {
    if (std::find(schedules_.begin(), schedules_.end(), &schedule) == schedules_.end()) {
      locks_.emplace_back(schedule.mutex_);
      schedules_.push_back(&schedule);
      shape_.emplace_back(&schedule, schedule.shape_);
      bindings_ += schedule.bindings_;
    }
    schedule.append_steps(steps_, this);
  }

  const std::vector<Schedule *> &schedules() const noexcept { return schedules_; }
  std::vector<const Command *> &steps() noexcept { return steps_; }
  Shape &shape() noexcept { return shape_; }
  uint64_t bindings() const noexcept { return bindings_; }

 private:
  std::vector<std::unique_lock<std::mutex>> locks_;
  std::vector<Schedule *> schedules_;
  std::vector<const Command *> steps_;
  Shape shape_;
  uint64_t bindings_ = 0;
};

// others: NULL where there are no runs of other schedules.
void Schedule::append_steps(std::vector<const Command *> &steps, Together *others) const {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const Command &command = *commands_[i];
    if (!command.finalized()) {
      throw Error(NXS_InvalidCommand, "command ", i, " (the kernel '",
                  command.kernel()->kernel().name(),
                  "') is not finalized; finalize it before the run");
    }
    if (command.nested() != nullptr) {
      others->add(*command.nested());
    } else if (const KernelCommand *kernel = command.kernel();
               kernel == nullptr || !kernel->launch().empty()) {
      steps.push_back(&command);
    }
  }
}

namespace {

std::size_t count_driver_steps(const std::vector<const Command *> &steps) {
  std::size_t count = 0;
  for (const Command *step : steps) {
    count += step->kernel() != nullptr ? 1 : step->transfer()->steps().size();
  }
  return count;
}

bool are_kernels(const std::vector<const Command *> &steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [](const Command *step) { return step->kernel() != nullptr; });
}

}  // namespace

void Schedule::make_ready() {
  steps_.clear();
  append_steps(steps_, nullptr);
  count_steps();
  ready_ = true;
}

void Schedule::count_steps() noexcept {
  driver_steps_ = count_driver_steps(steps_);
  only_kernels_ = are_kernels(steps_);
}

// ---- Running ----------------------------------------------------------

nxs_ticket Schedule::run(nxs_id stream_id) {
  if (runs_others_.load(std::memory_order_acquire)) [[unlikely]]
    return run_with_others(pin_stream(stream_id));
  const std::lock_guard lock(mutex_);
  const Ref<Stream> other =
      streams.names(stream_id, last_stream_) ? Ref<Stream>() : pin_stream(stream_id);
  const Ref<Stream> &stream = other ? other : last_stream_;
  if (!ready_) [[unlikely]]
    make_ready();
  std::vector<EventPtr> before;
  if (EventPtr event = last_run_elsewhere(*stream)) before.push_back(std::move(event));
  return submit_noted(stream, std::move(before), bindings_,
                      [&](nxs_ticket ticket) { note_run(stream, ticket); });
}

Ref<Stream> Schedule::pin_stream(nxs_id id) const {
  Ref<Stream> stream = streams.pin(id);
  check_same_device("stream", stream->device(), *device_);
  return stream;
}

nxs_ticket Schedule::run_with_others(const Ref<Stream> &stream) {
  // Two runs that lock the same schedules in different orders would wait for each other.
  static std::mutex several;
  const std::lock_guard one_at_a_time(several);
  Together all(*this);
  if (!ready_ || all.shape() != ready_shape_) {
    changed();
    all.shape().front().second = shape_;
    steps_ = std::move(all.steps());
    count_steps();
    ready_shape_ = std::move(all.shape());
    ready_ = true;
  }
  if (all.bindings() != graph_bindings_) used_in_ = nullptr;
  std::vector<EventPtr> before;
  for (Schedule *schedule : all.schedules()) {
    if (EventPtr event = schedule->last_run_elsewhere(*stream)) before.push_back(std::move(event));
  }
  return submit_noted(stream, std::move(before), all.bindings(), [&](nxs_ticket ticket) {
    for (Schedule *schedule : all.schedules()) schedule->note_run(stream, ticket);
  });
}

// Also a run that the driver took in part is noted: the next one comes behind what it began.
template <class Note>
nxs_ticket Schedule::submit_noted(const Ref<Stream> &stream, std::vector<EventPtr> before,
                                  uint64_t bindings, const Note &note) {
  const auto newest = [&] { return stream->tickets().completion().last(); };
  const nxs_ticket ahead = newest();
  try {
    const nxs_ticket ticket = submit(stream, std::move(before), bindings);
    note(ticket);
    return ticket;
  } catch (...) {
    if (newest() != ahead) note(newest());
    throw;
  }
}

nxs_ticket Schedule::submit(const Ref<Stream> &stream, std::vector<EventPtr> before,
                            uint64_t bindings) {
  const auto all = [&](Enqueuing &work) {
    if (wants_graph() && runs_ > 0 && !graph_) make_graph(bindings);
    if (graph_ && bindings != graph_bindings_) update_graph(bindings);
    if (!before.empty()) stream->tickets().prepare_to_wait();
    for (const EventPtr &event : before) {
      work.check(cu.StreamWaitEvent(work.stream, event->get(), 0),
                 "waiting for the run before in another stream");
    }
    enqueue(work, stream->lane());
  };
  const bool bare = before.empty() && only_launches(bindings);
  const nxs_ticket ticket = moves_ ? stream->submit_marked(all, {})
                            : bare ? stream->submit_launches(all)
                                   : stream->submit(all);
  ++runs_;
  if (runs_ == 1 && graph_follows_ && wants_graph() && !graph_) make_graph_behind_run(bindings);
  return ticket;
}

// The device is busy with the first run meanwhile. That run was taken, so that nothing is thrown:
// where there is no graph, the next run says what is wrong.
void Schedule::make_graph_behind_run(uint64_t bindings) noexcept {
  try {
    const CurrentContext current(*device_);
    make_graph(bindings);
  } catch (...) {
    graph_refused_ = true;
  }
}

// Whether a run is nothing but launches: of kernels, or of a graph that is ready.
bool Schedule::only_launches(uint64_t bindings) const noexcept {
  if (graph_) return bindings == graph_bindings_;
  return only_kernels_ && (!wants_graph() || runs_ == 0);
}

void Schedule::enqueue(Enqueuing &work, const Lane &lane) {
  if (used_in_ != &lane) {
    for (const Command *step : steps_) {
      if (const KernelCommand *kernel = step->kernel()) {
        kernel->used_in(lane);
      } else {
        step->transfer()->used_in(lane);
      }
    }
    used_in_ = &lane;
  }
  if (graph_) return graph_.launch(work);
  for (const Command *step : steps_) {
    if (const KernelCommand *kernel = step->kernel()) {
      const auto launch = [&] { return kernel->enqueue(work.stream); };
      work.check(device_->state().memory.with_room(launch), "launching a kernel");
    } else {
      step->transfer()->enqueue(work, lane);
    }
  }
}

// Where the driver makes none, the commands are enqueued one by one, and say what is wrong.
void Schedule::make_graph(uint64_t bindings) {
  try {
    graph_ = Graph::make(*device_, steps_);
    graph_bindings_ = bindings;
  } catch (const Error &) {
    device_->refuse_lost();
    graph_refused_ = true;
  }
}

// A change that the driver does not take into the graph is one for a new graph; where there can be
// none either, the old one stays as it was.
void Schedule::update_graph(uint64_t bindings) {
  try {
    graph_.update(*device_, bindings - graph_bindings_);
  } catch (const Error &) {
    device_->refuse_lost();
    graph_ = Graph::make(*device_, steps_);
  }
  graph_bindings_ = bindings;
}

// An event of the last run where it is in another stream and not done; else empty.
EventPtr Schedule::last_run_elsewhere(const Stream &stream) {
  moves_ = last_stream_ && last_stream_.get() != &stream;
  if (!moves_) return {};
  Tickets &tickets = last_stream_->tickets();
  return tickets.done(last_ticket_) ? EventPtr() : tickets.event_of(last_ticket_);
}

void Schedule::note_run(const Ref<Stream> &stream, nxs_ticket ticket) {
  if (!(last_stream_ == stream)) last_stream_ = stream;
  last_ticket_ = ticket;
}

void Schedule::prepare(Stream &stream) {
  if (runs_others_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  if (!ready_) make_ready();
  if (!wants_graph()) return;
  device_->refuse_lost();
  const CurrentContext current(*device_);
  if (!graph_) make_graph(bindings_);
  if (!graph_) return;
  graph_.update(*device_);
  graph_bindings_ = bindings_;
  graph_.upload(*device_, stream.lane().stream);
}

const char *Schedule::status() const {
  const std::lock_guard lock(mutex_);
  if (!last_stream_) return nullptr;
  Tickets &tickets = last_stream_->tickets();
  if (!tickets.done(last_ticket_)) return "Running";
  return tickets.completion().completed() >= last_ticket_ ? "Complete" : "Error";
}

uintptr_t Schedule::native_graph() const {
  const std::lock_guard lock(mutex_);
  return reinterpret_cast<uintptr_t>(graph_.executable());
}

namespace {

// The core takes the time of runs with events, and NVIDIA's tools look at whole processes.
void refuse_settings(nxs_execution_settings settings) {
  constexpr nxs_execution_settings tools =
      NXS_ExecutionSettings_Profiling | NXS_ExecutionSettings_Capture;
  if ((settings & tools) != 0) {
    throw Error(NXS_NotSupported,
                "settings has Profiling or Capture, which single runs do not have on CUDA; leave "
                "them out, and start the program with ncu (counters) or nsys profile");
  }
  nexus_plugin::check_settings(settings, NXS_ExecutionSettings_NonBlocking);
}

constexpr auto schedule_properties = nexus_plugin::property_table<Schedule>({
    {NP_Size, [](const Schedule &schedule) -> Value { return schedule.size(); }},
    {NP_Status,
     [](const Schedule &schedule) -> Value {
       const char *status = schedule.status();
       return status == nullptr ? Value() : Value(status);
     }},
    {NP_NativeHandle,
     [](const Schedule &schedule) -> Value {
       const uintptr_t graph = schedule.native_graph();
       return graph == 0 ? Value() : Value(graph);
     }},
});

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

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
    prepared->prepare(*queue);
  });
}

nxs_status nxsRunSchedule(nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
                          nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Schedule> run = schedules.pin(schedule);
    if ((settings & ~NXS_ExecutionSettings_NonBlocking) != 0) [[unlikely]]
      refuse_settings(settings);
    return run->run(stream);
  });
}

}  // extern "C"
