// SPDX-License-Identifier: Apache-2.0
#include "execution/stream.hpp"
#include "objects/device.hpp"

#include <nexus-plugin/event.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::BinaryEvent;
using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::SignalPtr;
using nexus_plugin::Value;

namespace {

constinit nexus_plugin::HandleTable<BinaryEvent, NXS_ObjectType_Event> events;

constexpr auto event_properties = nexus_plugin::property_table<BinaryEvent>({
    {NP_Type, [](const BinaryEvent &) -> Value { return "binary"; }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_EVENT(events)

extern "C" {

nxs_status nxsCreateEvent(nxs_id device, nxs_execution_settings settings, nxs_id *out_event) {
  return guarded([&] {
    (void)devices.pin(device);
    check_pointer(out_event, "out_event");
    if ((settings & ~NXS_ExecutionSettings_Timing) != 0) {
      throw Error(NXS_NotSupported, "settings is ", settings, "; an event knows Timing only");
    }
    *out_event = events.create((settings & NXS_ExecutionSettings_Timing) != 0);
  });
}

nxs_status nxsSignalEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded([&] {
    const Ref<BinaryEvent> signalled = events.pin(event);
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_ticket, "out_ticket");
    const auto signal = SignalPtr::make();
    *out_ticket = queue->signal(signal);
    signalled->submitted(signal);
  });
}

nxs_status nxsWaitEvent(nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  return guarded([&] {
    const Ref<BinaryEvent> awaited = events.pin(event);
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_ticket, "out_ticket");
    *out_ticket = queue->wait(awaited->newest());
  });
}

}  // extern "C"
