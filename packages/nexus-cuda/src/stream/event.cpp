// SPDX-License-Identifier: Apache-2.0
#include "stream/event.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_struct;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

nxs_ticket Event::signal(Stream &stream) {
  if (imported_) {
    throw Error(NXS_InvalidOperation,
                "the event is of another process, which alone signals it; make one of this process "
                "for its own work");
  }
  check_same_device("event", *device_, stream.device());
  // Under the lock, so that the newest signal is the one that was enqueued last.
  Signal before;
  const std::lock_guard lock(mutex_);
  Signal made = stream.signal(timed_, shared_.get());
  before = std::exchange(newest_, std::move(made));
  return newest_.ticket;
}

Signal Event::newest() const {
  const std::lock_guard lock(mutex_);
  if (newest_.stream) return newest_;
  throw Error(NXS_InvalidOperation, "the event was never signalled; submit a signal before a wait");
}

uintptr_t Event::native_handle() const {
  if (shared_) return reinterpret_cast<uintptr_t>(shared_->get());
  const std::lock_guard lock(mutex_);
  return newest_.event ? reinterpret_cast<uintptr_t>(newest_.event->get()) : 0;
}

void Event::wait(uint64_t timeout, nxs_completion *out_completion) const {
  nxs_completion &out = check_struct(out_completion, "out_completion");
  if (imported_) {
    device_->refuse_lost();
    const bool is_done = timeout == 0 ? shared_->done() : shared_->wait(timeout);
    out.state = is_done ? NXS_CompletionState_Completed : NXS_CompletionState_Running;
    out.status = NXS_Success;
    out.error = 0;
    out.completed = 0;
    return;
  }
  const Signal signal = newest();
  signal.stream->tickets().wait(signal.ticket, timeout, &out);
  out.completed = 0;
}

nxs_ticket Event::let_wait(Stream &stream) const {
  return imported_ ? stream.wait(*shared_) : stream.wait(newest());
}

Signal Event::happened() const {
  if (!timed_) {
    throw Error(NXS_ProfilingInfoNotAvailable,
                "the event has no time; make it with NXS_ExecutionSettings_Timing");
  }
  Signal signal = newest();
  if (!signal.stream->tickets().done(signal.ticket)) {
    throw Error(NXS_InvalidOperation, "the event is not signalled yet; wait for it first");
  }
  return signal;
}

double Event::since(const Event &start) const {
  const Signal from = start.happened();
  const Signal to = happened();
  check_same_device("start event", *start.device_, *device_);
  device_->refuse_lost();
  const CurrentContext current(*device_);
  float milliseconds = 0;
  device_->check(cu.EventElapsedTime(&milliseconds, from.event->get(), to.event->get()),
                 "reading the time between two events");
  return static_cast<double>(milliseconds) * 1e6;
}

constinit nexus_plugin::HandleTable<Event, NXS_ObjectType_Event> events;

namespace {

// Throws as nxsCreateEvent.
nxs_id made_event(Device &owner, nxs_execution_settings settings) {
  constexpr nxs_execution_settings both =
      NXS_ExecutionSettings_Timing | NXS_ExecutionSettings_Shareable;
  nexus_plugin::check_settings(settings, both);
  if (settings == both) {
    throw Error(NXS_InvalidValue,
                "settings has Timing and Shareable, and an event that processes share has no time; "
                "give one of them");
  }
  if (settings != NXS_ExecutionSettings_Shareable) return events.create(owner, settings != 0);
  owner.refuse_lost();
  const CurrentContext current(owner);
  return events.create(owner, SharedEventPtr::make(owner), false);
}

constexpr auto event_properties = nexus_plugin::property_table<Event>({
    {NP_Type, [](const Event &) -> Value { return "binary"; }},
    {NP_NativeHandle,
     [](const Event &event) -> Value {
       const uintptr_t handle = event.native_handle();
       return handle == 0 ? Value() : Value(handle);
     }},
});

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Event, events, event_properties)

extern "C" {

nxs_status nxsCreateEvent(nxs_id device, nxs_execution_settings settings, nxs_id *out_event) {
  return guarded(out_event, [&] {
    Device &owner = device_of(device);
    return made_event(owner, settings);
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
    return awaited->let_wait(*streams.pin(stream));
  });
}

nxs_status nxsQueryEvent(nxs_id event, nxs_completion *out_completion) {
  return guarded([&] { events.pin(event)->wait(0, out_completion); });
}

nxs_status nxsSynchronizeEvent(nxs_id event, uint64_t timeout, nxs_completion *out_completion) {
  return guarded([&] { events.pin(event)->wait(timeout, out_completion); });
}

nxs_status nxsGetElapsedTime(nxs_id start, nxs_id end, double *out_nanoseconds) {
  return guarded(out_nanoseconds, [&] {
    const Ref<Event> from = events.pin(start);
    return events.pin(end)->since(*from);
  });
}

}  // extern "C"
