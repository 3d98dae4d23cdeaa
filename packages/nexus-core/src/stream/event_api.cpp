// SPDX-License-Identifier: Apache-2.0
//
// Events: their properties and C functions.
#include "base/lock.hpp"
#include "object/property.hpp"
#include "stream/event.hpp"
#include "stream/stream.hpp"

namespace nexus::core {
namespace {

const char *eventTypeName(nxs_event_type type) {
  switch (type) {
    case NXS_EventType_Shared:
      return "Shared";
    case NXS_EventType_Signal:
      return "Signal";
    default:
      return "Fence";
  }
}

}  // namespace

std::optional<json::Value> Event::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(number_);
    case NP_Keys:
      return keyNumbers(*this);
    case NP_Type:
      return json::Value(eventTypeName(type_));
    case NP_Value: {
      const uint64_t present = value();
      return present > INT64_MAX ? json::Value(present)
                                 : json::Value(static_cast<int64_t>(present));
    }
    case NP_Status: {
      if (imported_) return json::Value(isDone() ? "Complete" : "Running");
      const Lock lock(mutex_);
      requireOpen();
      refresh();
      if (pending_signals_.empty()) {
        return json::Value(expected_ > 0 ? "Running" : level_ > 0 ? "Complete" : "Submitted");
      }
      const PendingSignal &newest = pending_signals_.back();
      if (newest.failure != nullptr) {
        return json::Value(newest.failure->status() == NXS_Cancelled ? "Canceled" : "Error");
      }
      return json::Value(
          newest.queue->state(newest.ticket) == NXS_CompletionState_Failed ? "Error" : "Running");
    }
    case NP_NativeHandle:
      return nativeHandle();
    default:
      return std::nullopt;
  }
}

// Returns the native handle of the newest enqueued signal that has a binary event.
std::optional<json::Value> Event::nativeHandle() {
  const Lock lock(mutex_);
  requireOpen();
  const Binary &newest = shared_.id != 0 ? shared_
                         : newest_.binary.id != 0 || pending_signals_.empty()
                             ? newest_.binary
                             : pending_signals_.back().binary;
  return newest.id == 0 ? std::nullopt
                        : readNative(newest.device->plugin(), &nxs_functions::GetEventProperty,
                                     newest.id, NP_NativeHandle, "event");
}

std::vector<std::string> Event::propertyKeys() {
  std::vector<std::string> keys{"ID", "Keys", "Type", "Value", "Status"};
  if (nativeHandle()) keys.emplace_back("NativeHandle");
  return keys;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_event(nexus_device *device, nxs_event_type type,
                                     nxs_execution_settings settings, nexus_event **out_event) {
  return guarded([&] {
    requirePointer(out_event, "out_event");
    if (settings != 0 && settings != NXS_ExecutionSettings_Timing &&
        settings != NXS_ExecutionSettings_Shareable) {
      throw Failure(NXS_NotSupported, "settings is " + std::to_string(settings) +
                                          "; give NXS_ExecutionSettings_Timing, "
                                          "NXS_ExecutionSettings_Shareable, or 0: an event that "
                                          "processes share has no time.");
    }
    Device &on = given<Device>(device, "device");
    if (settings == NXS_ExecutionSettings_Shareable) {
      giveOutNew(on, Event::makeShareable(on, type), out_event);
      return;
    }
    const auto timing = settings != 0 ? Event::Timing::On : Event::Timing::Off;
    giveOutNew(on, make<Event>(on, type, timing), out_event);
  });
}

nxs_status nexus_event_get_device(nexus_event *event, nexus_device **out_device) {
  return guarded([&] {
    requirePointer(out_device, "out_device");
    giveOut(Ref(given<Event>(event, "event").device()), out_device);
  });
}

nxs_status nexus_event_signal(nexus_event *event, uint64_t value) {
  return guarded([&] { given<Event>(event, "event").signal(value); });
}

nxs_status nexus_event_wait(nexus_event *event, uint64_t value, uint64_t timeout) {
  return guarded([&] { given<Event>(event, "event").wait(value, timeout); });
}

nxs_status nexus_event_get_value(nexus_event *event, uint64_t *out_value) {
  return guarded([&] {
    requirePointer(out_value, "out_value");
    *out_value = given<Event>(event, "event").value();
  });
}

nxs_status nexus_event_is_done(nexus_event *event, int32_t *out_done) {
  return guarded([&] {
    requirePointer(out_done, "out_done");
    *out_done = given<Event>(event, "event").isDone() ? 1 : 0;
  });
}

nxs_status nexus_event_get_elapsed_time(nexus_event *start, nexus_event *end,
                                        double *out_nanoseconds) {
  return guarded([&] {
    requirePointer(out_nanoseconds, "out_nanoseconds");
    *out_nanoseconds = Event::elapsed(given<Event>(start, "start"), given<Event>(end, "end"));
  });
}

nxs_status nexus_event_get_event_type(nexus_event *event, nxs_event_type *out_type) {
  return guarded([&] {
    requirePointer(out_type, "out_type");
    *out_type = given<Event>(event, "event").eventType();
  });
}

nxs_status nexus_stream_signal(nexus_stream *stream, nexus_event *event, uint64_t value) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Event &signalled = given<Event>(event, "event");
    signalled.checkSignal(value);
    DeferredWakes wakes;
    enqueueSignal(queue, signalled, value, wakes);
  });
}

nxs_status nexus_stream_wait(nexus_stream *stream, nexus_event *event, uint64_t value) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Event &awaited = given<Event>(event, "event");
    awaited.checkWait(value);
    DeferredWakes wakes;
    enqueueWait(queue, awaited, value, wakes);
  });
}
