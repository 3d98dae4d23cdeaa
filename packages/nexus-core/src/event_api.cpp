// SPDX-License-Identifier: Apache-2.0
//
// Events: their properties and C functions.
#include "event.hpp"
#include "property.hpp"
#include "stream.hpp"

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
      const Lock lock(mutex_);
      refresh();
      if (points_.empty()) {
        return json::Value(value_ > 0 ? "Complete" : "Submitted");
      }
      const Point &newest = points_.back();
      if (newest.failure != nullptr) {
        return json::Value(newest.failure->status() == NXS_Cancelled ? "Canceled" : "Error");
      }
      return json::Value(
          newest.queue->state(newest.ticket) == NXS_CompletionState_Failed ? "Error" : "Running");
    }
    default:
      return std::nullopt;
  }
}

std::vector<std::string> Event::propertyKeys() {
  return {"ID", "Keys", "Type", "Value", "Status"};
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_event(nexus_device *device, nxs_event_type type,
                                     nxs_execution_settings settings, nexus_event **out_event) {
  return guarded([&] {
    requirePointer(out_event, "out_event");
    if (settings != 0) {
      throw Failure(NXS_NotSupported, "settings is " + std::to_string(settings) + "; give 0.");
    }
    Device &on = given<Device>(device, "device");
    giveOutNew(on, make<Event>(on, type), out_event);
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
    Wakes wakes;
    enqueueSignal(queue, signalled, value, wakes);
  });
}

nxs_status nexus_stream_wait(nexus_stream *stream, nexus_event *event, uint64_t value) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Event &awaited = given<Event>(event, "event");
    awaited.checkWait(value);
    Wakes wakes;
    enqueueWait(queue, awaited, value, wakes);
  });
}
