// SPDX-License-Identifier: Apache-2.0
#include "stream/event.hpp"

#include <nexus-plugin/functions.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_struct;
using nexus_plugin::Error;
using nexus_plugin::Ref;
using nexus_plugin::Value;

nxs_ticket Event::signal(Stream &stream) {
  if (imported_) {
    throw Error(NXS_InvalidOperation,
                "the event is of another process, which alone signals it; make one of this process "
                "for its own work");
  }
  return signal_by(stream, [&] { return stream.signal(timed(), shared_.get()); });
}

nxs_ticket Event::let_wait(Stream &stream) const {
  return imported_ ? stream.wait(*shared_) : QueuedEvent::let_wait(stream);
}

void Event::wait(uint64_t timeout, nxs_completion *out_completion) const {
  if (!imported_) return QueuedEvent::wait(timeout, out_completion);
  nxs_completion &out = check_struct(out_completion, "out_completion");
  device().refuse_lost();
  const bool is_done = timeout == 0 ? shared_->done() : shared_->wait(timeout);
  nexus_plugin::write_completion(out, is_done, nullptr, 0);
}

uintptr_t Event::native_handle() const {
  if (shared_) return reinterpret_cast<uintptr_t>(shared_->get());
  const Signal signal = try_newest();
  return signal.event ? reinterpret_cast<uintptr_t>(signal.event->get()) : 0;
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

void export_event(const Event &event, nxs_id id, const nxs_sink &sink) {
  if (!event.shared() || event.imported()) {
    throw Error(NXS_InvalidOperation, "the event was ",
                event.imported() ? "imported; the process that made it can export it"
                                 : "not made to be shared; make it with "
                                   "NXS_ExecutionSettings_Shareable");
  }
  event.device().refuse_lost();
  nexus_plugin::write_to(sink, event.shared()->handle(id));
}

// The driver gives no process its own event a second time.
SharedEventPtr own_shared_event(Device &device, nxs_id id) {
  SharedEventPtr shared;
  try {
    const Ref<Event> own = events.pin(id);
    if (!own->imported() && &own->device() == &device) shared = own->shared();
  } catch (const Error &) {  // it was released
  }
  if (shared) return shared;
  throw Error(NXS_InvalidOperation,
              "the event that handle names is gone; keep the event that was exported");
}

nxs_id import_event(Device &device, std::string_view handle) {
  device.refuse_lost();
  const CurrentContext current(device);
  const nxs_id own = own_event(device, handle);
  SharedEventPtr shared =
      own != 0 ? own_shared_event(device, own) : SharedEventPtr::make(device, handle);
  return events.create(device, std::move(shared), true);
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
NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id *out),
                    made_event(device_of(device), settings))

NEXUS_PLUGIN_SHARED(Event, devices, events, export_event(*object, id, sink),
                    import_event(*owner, text))
