// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include "buffer.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::check_struct;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

nxs_ticket Event::signal(Stream &stream) {
  check_same_device("event", *device_, stream.device());
  // Under the lock, so that the newest signal is the one that was enqueued last.
  Signal before;
  const std::lock_guard lock(mutex_);
  Signal made = stream.signal(timed_);
  before = std::exchange(newest_, std::move(made));
  return newest_.ticket;
}

Signal Event::copy_newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

Signal Event::newest() const {
  Signal signal = copy_newest();
  if (signal.stream) return signal;
  throw Error(NXS_InvalidOperation, "the event was never signalled; submit a signal before a wait");
}

void Event::wait(uint64_t timeout, nxs_completion *out_completion) const {
  nxs_completion &out = check_struct(out_completion, "out_completion");
  const Signal signal = newest();
  signal.stream->tickets().wait(signal.ticket, timeout, &out);
  out.completed = 0;
}

bool Event::happened() const {
  const Signal signal = copy_newest();
  return signal.stream && signal.stream->tickets().done(signal.ticket);
}

uint64_t Event::time() const {
  if (!timed_) {
    throw Error(NXS_ProfilingInfoNotAvailable,
                "the event has no time; make it with NXS_ExecutionSettings_Timing");
  }
  const Signal signal = newest();
  if (!signal.stream->tickets().done(signal.ticket)) {
    throw Error(NXS_InvalidOperation, "the event is not signalled yet; wait for it first");
  }
  uint64_t time = 0;
  check(signal.stream->device().cl().GetEventProfilingInfo(
            signal.event.get(), CL_PROFILING_COMMAND_END, sizeof(time), &time, nullptr),
        "reading the time of an event");
  return time;
}

namespace {

constinit nexus_plugin::HandleTable<Event, NXS_ObjectType_Event> events;

Value time_stamp(const Event &event) {
  return event.timed() && event.happened() ? Value(event.time()) : Value();
}

constexpr auto event_properties = nexus_plugin::property_table<Event>({
    {NP_Type, [](const Event &) -> Value { return "binary"; }},
    {NP_TimeStamp, time_stamp},
});

double elapsed(const Event &start, const Event &end) {
  const uint64_t from = start.time();
  const uint64_t to = end.time();
  check_same_device("start event", start.newest().stream->device(), end.newest().stream->device());
  return static_cast<double>(static_cast<int64_t>(to - from));
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Event, events, event_properties)

extern "C" {

nxs_status nxsCreateEvent(nxs_id device, nxs_execution_settings settings, nxs_id *out_event) {
  return guarded(out_event, [&] {
    const Device &owner = device_of(device);
    nexus_plugin::check_settings(settings, NXS_ExecutionSettings_Timing);
    return events.create(owner, (settings & NXS_ExecutionSettings_Timing) != 0);
  });
}

nxs_status nxsSignalEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Event> signalled = events.pin(event);
    return signalled->signal(*streams.pin(stream));
  });
}

nxs_status nxsWaitEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded(out_ticket, [&] {
    const Ref<Event> awaited = events.pin(event);
    return streams.pin(stream)->wait(awaited->newest());
  });
}

nxs_status nxsQueryEvent(nxs_id event, nxs_completion *out_completion) {
  return guarded([&] { events.pin(event)->wait(0, out_completion); });
}

nxs_status nxsSynchronizeEvent(nxs_id event, uint64_t timeout, nxs_completion *out_completion) {
  return guarded([&] { events.pin(event)->wait(timeout, out_completion); });
}

nxs_status nxsGetElapsedTime(nxs_id start, nxs_id end, double *out_nanoseconds) {
  return guarded(out_nanoseconds, [&] { return elapsed(*events.pin(start), *events.pin(end)); });
}

}  // extern "C"
