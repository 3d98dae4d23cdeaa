// SPDX-License-Identifier: Apache-2.0
#include "stream/event.hpp"

#include "device/device.hpp"

#include <signal.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <nexus-plugin/base/functions.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_struct;

// The shared memory, at first zeros.
struct SharedEvent::Page {
  static constexpr uint64_t kAlive = 0, kDone = 1, kNotDone = 2;

  std::atomic<uint64_t> recorded;  // how often
  std::atomic<uint64_t> state;     // kAlive, or what it was when its process released it
};

namespace {

using SharedClock = std::chrono::steady_clock;

constexpr std::string_view kEventHead = "nexus-cuda-event 1 ";
constexpr std::chrono::microseconds kFirstPause{20}, kLastPause{1000};

[[noreturn]] void throw_event_gone(uint64_t process) {
  throw Error(NXS_InvalidOperation, "the event is of process ", process,
              ", which has released it or ended, or is another user's; it has to keep the event "
              "while others wait for it");
}

}  // namespace

ExportedEvent::ExportedEvent(std::string_view text) {
  ExportedText parts(text);
  if (parts.take(kEventHead) && from.take_from(parts) && parts.take_bytes(handle.reserved) &&
      parts.take(" ") && parts.rest().ends_with('\n')) {
    page = parts.rest();
    return;
  }
  throw Error(NXS_InvalidValue,
              "handle is no exported event of a GPU; give all that nxsExportEvent wrote");
}

// ---- SharedEvent ---------------------------------------------------------

SharedEvent::Page &SharedEvent::page() const noexcept {
  return *reinterpret_cast<Page *>(page_.data());
}

SharedEvent::SharedEvent(Device &device)
    : device_(&device),
      page_(ProcessMemory::make(sizeof(Page))),
      exporter_(static_cast<uint64_t>(getpid())) {
  device.check(cu.EventCreate(&event_, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS),
               "making an event that processes share");
}

SharedEvent::SharedEvent(Device &device, const ExportedEvent &exported)
    : device_(&device), exporter_(exported.from.process) {
  try {
    page_ = ProcessMemory::open(exported.page);
  } catch (const Error &error) {
    if (error.status() == NXS_InvalidOperation) throw_event_gone(exporter_);
    throw;
  }
  if (page_.size() < sizeof(Page)) throw_event_gone(exporter_);
  exported.from.check_opened(cu.IpcOpenEventHandle(&event_, exported.handle), device, "event");
}

SharedEvent::~SharedEvent() {
  try {
    const CurrentContext current(*device_);
    if (made_here()) {
      const bool is_done = cu.EventQuery(event_) == CUDA_SUCCESS;
      page().state.store(is_done ? Page::kDone : Page::kNotDone);
    }
    log_unreleased(cu.EventDestroy(event_), "destroying an event that processes share");
  } catch (const std::exception &) {  // the device is lost, and its events with it
  }
}

std::string SharedEvent::handle(nxs_id event) const {
  const CurrentContext current(*device_);
  CUipcEventHandle told{};
  device_->check(cu.IpcGetEventHandle(&told, event_), "exporting an event");
  return join(kEventHead, Exported::here(*device_, event).text(),
              nexus_plugin::hexadecimal({told.reserved, sizeof(told.reserved)}), " ",
              page_.handle());
}

void SharedEvent::record(Enqueuing &work) {
  work.check(cu.EventRecord(event_, work.stream), "recording an event that processes share");
  page().recorded.fetch_add(1);
}

bool SharedEvent::released_done() const {
  const uint64_t state = page().state.load();
  const bool lives = kill(static_cast<pid_t>(exporter_), 0) == 0 || errno != ESRCH;
  if (state == Page::kAlive && lives) return false;
  if (state == Page::kDone && page().recorded.load() != 0) return true;
  throw_event_gone(exporter_);
}

bool SharedEvent::done() const {
  if (released_done()) return true;
  if (page().recorded.load() == 0) return false;
  const CurrentContext current(*device_);
  const CUresult result = cu.EventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_->check(result, "asking an event of another process");
  return true;
}

bool SharedEvent::wait(uint64_t timeout) const {
  constexpr auto longest = static_cast<uint64_t>(std::chrono::nanoseconds::max().count()) / 2;
  const auto end = SharedClock::now() + std::chrono::nanoseconds(std::min(timeout, longest));
  auto pause = kFirstPause;
  while (!done()) {
    const auto left = end - SharedClock::now();
    if (left <= left.zero()) return false;
    std::this_thread::sleep_for(std::min<SharedClock::duration>(left, pause));
    pause = std::min(pause * 2, kLastPause);
  }
  return true;
}

void SharedEvent::enqueue_wait(Enqueuing &work) const {
  if (released_done()) return;
  if (page().recorded.load() == 0) {
    throw Error(
        NXS_InvalidOperation, "the event was never signalled by process ", exporter_,
        ", which made it; wait for it on the host first, or let that process say when it has "
        "signalled it");
  }
  work.check(cu.StreamWaitEvent(work.stream, event_, 0),
             "enqueuing a wait for an event of another process");
}

// ---- Event -----------------------------------------------------------------

nxs_ticket Event::signal(Stream &stream) {
  if (imported_) {
    throw Error(NXS_InvalidOperation,
                "the event was imported, and only the process that made it signals it; make an "
                "event for this process's work");
  }
  const auto also = [&](Enqueuing &work) {
    if (shared_) shared_->record(work);
  };
  return signal_by(stream, [&] { return stream.signal(timed(), also); });
}

nxs_ticket Event::let_wait(Stream &stream) const {
  if (!imported_) return QueuedEvent::let_wait(stream);
  return stream.submit([&](Enqueuing &work) {
    stream.tickets().prepare_to_wait();
    shared_->enqueue_wait(work);
  });
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

constinit HandleTable<Event, NXS_ObjectType_Event> events;

namespace {

// Implements nxsCreateEvent.
nxs_id create_event(Device &owner, nxs_execution_settings settings) {
  constexpr nxs_execution_settings both =
      NXS_ExecutionSettings_Timing | NXS_ExecutionSettings_Shareable;
  nexus_plugin::check_settings(settings, both);
  if (settings == both) {
    throw Error(NXS_InvalidValue,
                "settings has Timing and Shareable, and events that processes share tell no times; "
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

// Finds an event that this process exported, which the driver can't open here.
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
  const ExportedEvent exported(handle);
  exported.from.check_device(device, "an event");
  SharedEventPtr shared = exported.from.of_this_process()
                              ? own_shared_event(device, exported.from.object)
                              : SharedEventPtr::make(device, exported);
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
                    create_event(device_of(device), settings))

NEXUS_PLUGIN_SHARED(Event, devices, events, export_event(*object, id, sink),
                    import_event(*owner, text))
