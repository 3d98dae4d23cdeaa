// SPDX-License-Identifier: Apache-2.0
//
// Events that processes share: an event of the plug-in, which the process that exports it signals
// in streams, and which others wait for.
#include "base/sink.hpp"
#include "object/property.hpp"
#include "stream/event.hpp"

namespace nexus::core {

Ref<Event> Event::makeShareable(Device &device, nxs_event_type type) {
  Ref<Event> made = make<Event>(device, type);
  if (!made->oneShot()) {
    failWith(NXS_InvalidValue,
             "type is Shared, and only Signal and Fence events can be shared with other processes; "
             "give one of those.");
  }
  if (!device.plugin().has(NXS_Capability_ShareableEvents)) {
    failWith(
        NXS_NotSupported, "settings has Shareable, and the backend ", device.plugin().name,
        " does not share events between processes; create the event without shareable=True (in "
        "C NXS_ExecutionSettings_Shareable).");
  }
  nxs_id id = 0;
  device.plugin().call(&nxs_functions::CreateEvent, "make an event", device.id(),
                       NXS_ExecutionSettings_Shareable, &id);
  made->share(id);
  return made;
}

Ref<Event> Event::import(Device &device, std::string_view handle) {
  Ref<Event> made = make<Event>(device, nxs_event_type{NXS_EventType_Signal});
  nxs_id id = 0;
  device.plugin().call(&nxs_functions::ImportEvent, "import an event of another process",
                       device.id(), handle.data(), handle.size(), &id);
  made->share(id);
  made->imported_ = true;
  return made;
}

std::string Event::exported() {
  const Lock lock(mutex_);
  if (closed()) {
    throw closedFailure();
  }
  if (shared_.id == 0 || imported_) {
    failWith(NXS_InvalidOperation,
             imported_ ? "The event was imported from another process; export it there."
                       : "The event is not shareable; create it with shareable=True (in C "
                         "NXS_ExecutionSettings_Shareable).");
  }
  Collector handle;
  device_.plugin().call(&nxs_functions::ExportEvent, "export an event", shared_.id, handle.sink());
  return handle.take();
}

void Event::requireSignal() const {
  if (imported_) {
    failWith(NXS_InvalidOperation,
             "The event was imported from another process, which alone signals it; create an event "
             "in this process.");
  }
}

void Event::share(nxs_id id) {
  shared_native_ = make<Native>(device_.plugin(), &nxs_functions::ReleaseEvent, id, "event");
  shared_ = {&device_, id};
}

nxs_completion Event::askImported(uint64_t nanoseconds) {
  Ref<Native> asked;  // asked without the lock, since it may wait
  {
    const Lock lock(mutex_);
    asked = shared_native_;
  }
  if (!asked) {
    throw closedFailure();
  }
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  const Plugin &plugin = device_.plugin();
  if (nanoseconds == 0) {
    plugin.call(&nxs_functions::QueryEvent, "ask an event of another process", asked->id(),
                &completion);
  } else {
    plugin.call(&nxs_functions::SynchronizeEvent, "wait for an event of another process",
                asked->id(), nanoseconds, &completion);
  }
  if (completion.state == NXS_CompletionState_Failed) {
    throw plugin.failure(completion.status, completion.error,
                         "the work that an event of another process is for");
  }
  return completion;
}

nxs_ticket Event::submitImportedWait(Queue &queue) {
  if (&device_.runtime() != &queue.device().runtime()) {
    failWith(NXS_NotSupported,
             "The event was imported from another process, and the stream is on '",
             queue.device().selector(), "', another backend's device; wait on the host first.");
  }
  const nxs_ticket ticket = queue.call(&nxs_functions::WaitEvent, "let a stream wait for an event",
                                       shared_.id, queue.id());
  queue.submitted(ticket);
  return ticket;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_event_export(nexus_event *event, const nxs_sink *handle) {
  return guarded([&] {
    requirePointer(handle, "handle");
    writeTo(handle, "handle", given<Event>(event, "event").exported());
  });
}

nxs_status nexus_device_import_event(nexus_device *device, const void *handle, uint64_t handle_size,
                                     nexus_event **out_event) {
  return giveResult(out_event, "out_event", [&] {
    requirePointer(handle, "handle");
    Device &on = given<Device>(device, "device");
    const std::string_view bytes(static_cast<const char *>(handle), handle_size);
    return listed(on, Event::import(on, bytes));
  });
}
