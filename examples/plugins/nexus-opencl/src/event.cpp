// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <nexus-plugin/functions.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Value;
using Event = nexus_plugin::QueuedEvent<Queue>;

constinit nexus_plugin::HandleTable<Event, NXS_ObjectType_Event> events;

Value time_stamp(const Event &event) {
  const Signal newest = event.try_newest();
  const bool told = event.timed() && newest.stream && newest.stream->done(newest.ticket);
  return told ? Value(time_of(newest.event)) : Value();
}

constexpr auto event_properties = nexus_plugin::property_table<Event>({
    {NP_Type, [](const Event &) -> Value { return "binary"; }},
    {NP_TimeStamp, time_stamp},
});

nxs_id made_event(const Device &device, nxs_execution_settings settings) {
  nexus_plugin::check_settings(settings, NXS_ExecutionSettings_Timing);
  return events.create(device, settings != 0);
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id *out),
                    made_event(device_of(device), settings))
