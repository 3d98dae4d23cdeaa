// SPDX-License-Identifier: Apache-2.0
// nxsExportEvent and nxsImportEvent.
#include "device/context.hpp"
#include "stream/event.hpp"

#include <nexus-plugin/functions.hpp>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::check_sink;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;

namespace {

std::string exported_event(const Event &event, nxs_id id) {
  if (!event.shared() || event.imported()) {
    throw Error(NXS_InvalidOperation, "the event was ",
                event.imported() ? "imported; the process that made it can export it"
                                 : "not made to be shared; make it with "
                                   "NXS_ExecutionSettings_Shareable");
  }
  event.device().refuse_lost();
  return event.shared()->handle(id);
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

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

extern "C" {

nxs_status nxsExportEvent(nxs_id event, const nxs_sink *handle) {
  return guarded([&] {
    const Ref<Event> shared = events.pin(event);
    const nxs_sink &sink = check_sink(handle, "handle");
    const std::string text = exported_event(*shared, event);
    sink.write(sink.context, text.data(), text.size());
  });
}

nxs_status nxsImportEvent(nxs_id device, const void *handle, uint64_t size, nxs_id *out_event) {
  return guarded(out_event, [&] {
    Device &owner = device_of(device);
    const auto *text = static_cast<const char *>(check_pointer(handle, "handle"));
    return import_event(owner, {text, static_cast<std::size_t>(size)});
  });
}

}  // extern "C"
