// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Ref;

// A command buffer has the arguments of the time when it was recorded.
void Schedule::make_ready(const RunLock &lock) {
  const uint64_t shape = lock.shape(), bindings = lock.bindings();
  if (shape == ready_shape_ && bindings == ready_bindings_) return;
  recorded_.clear();
  runs_ = 0;
  ready_bindings_ = bindings;
  if (shape == ready_shape_) return;
  ready_shape_ = 0;
  steps_.clear();
  lock.for_each_step([&](const Command &step) { steps_.push_back(&step); });
  ready_shape_ = shape;
}

namespace {

void enqueue_step(Enqueuing &work, const Command &step, WaitList waits, bool last) {
  if (const KernelCommand *kernel = step.kernel()) {
    kernel->enqueue(work, waits, last);
  } else {
    step.transfer()->enqueue(work, waits, last);
  }
}

}  // namespace

nxs_ticket Schedule::run(const Ref<Stream> &stream) {
  const RunLock lock(*this);
  make_ready(lock);
  std::vector<Owned<cl_event>> before;
  std::vector<cl_event> waits;
  for_each_run_elsewhere(lock, *stream, [&](const Ref<Stream> &other, nxs_ticket ticket) {
    before.push_back(other->tickets().event_of(ticket));
    if (before.back()) waits.push_back(before.back().get());
  });
  // What is run again is worth recording.
  if (steps_.size() > 1 && runs_ > 0 && !recorded_.tried()) (void)recorded_.record(stream, steps_);
  const bool recorded = recorded_.serves(*stream);
  const auto enqueue = [&](Enqueuing &work) {
    if (recorded) return recorded_.enqueue(work, waits);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      enqueue_step(work, *steps_[i], i == 0 ? waits : WaitList(), i + 1 == steps_.size());
    }
  };
  const nxs_ticket ticket = submit_run(lock, stream, [&] { return stream->submit(enqueue); });
  if (recorded) recorded_.enqueued(ticket);
  ++runs_;
  return ticket;
}

// What took so long is over before anybody would notice that Ctrl-C does nothing.
bool Schedule::is_short() {
  constexpr uint64_t kShort = 20'000'000;  // nanoseconds
  const std::lock_guard lock(mutex());
  if (!measured_ || Queue::is_running(Queue::query(measured_))) {
    return took_ns_ < kShort;
  }
  const auto time = [&](cl_info info) {
    uint64_t at = 0;
    device().cl().GetEventProfilingInfo(measured_.get(), info, sizeof(at), &at, nullptr);
    return at;
  };
  took_ns_ = time(CL_PROFILING_COMMAND_END) - time(CL_PROFILING_COMMAND_QUEUED);
  measured_ = {};
  return took_ns_ < kShort;
}

nxs_ticket Schedule::run_blocking(const Ref<Stream> &stream) {
  Tickets &tickets = stream->tickets();
  if (!tickets.queue().waits_inside()) return run(stream);
  const bool alone = tickets.done(tickets.completion().last());
  const bool short_run = alone && is_short();
  const nxs_ticket ticket = run(stream);
  Owned<cl_event> event = tickets.event_of(ticket);
  if (!event) return ticket;
  if (short_run) {
    const cl_event done = event.get();
    device().cl().WaitForEvents(1, &done);
    tickets.poll(ticket);
  }
  const std::lock_guard lock(mutex());
  if (alone) measured_ = std::move(event);
  return ticket;
}

namespace {

Ref<Stream> pin_stream(const Schedule &schedule, nxs_id id) {
  Ref<Stream> stream = streams.pin(id);
  check_same_device("stream", stream->device(), schedule.device());
  return stream;
}

constexpr nexus_plugin::PropertyTable<Schedule, 0> schedule_properties{};

}  // namespace

nxs_ticket Schedule::run(const Ref<Schedule> &schedule, nxs_id stream,
                         nxs_execution_settings settings) {
  const Ref<Stream> queue = pin_stream(*schedule, stream);
  nexus_plugin::check_settings(settings, NXS_ExecutionSettings_NonBlocking);
  const bool blocking = (settings & NXS_ExecutionSettings_NonBlocking) == 0;
  return blocking ? schedule->run_blocking(queue) : schedule->run(queue);
}

void Schedule::prepare(nxs_id stream) {
  const Ref<Stream> queue = pin_stream(*this, stream);
  const RunLock lock(*this);
  make_ready(lock);
  if (steps_.size() > 1) (void)recorded_.record(queue, steps_);
}

}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
