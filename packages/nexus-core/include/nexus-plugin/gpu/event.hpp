// SPDX-License-Identifier: Apache-2.0
// Binary events of the driver, and those that processes share. Beside the members in stream.hpp and
// exported.hpp, G has
//
//   static constexpr unsigned kSharedEvent = ...;  // for make_event(): processes share it
//   struct EventHandle {                           // by which another process opens an event
//     char reserved[...];
//   };
//   static Result export_event(EventHandle *out, NativeEvent event) noexcept;
//   static Result open_event(NativeEvent *out, const EventHandle &handle) noexcept;
#ifndef NEXUS_PLUGIN_GPU_EVENT_HPP_
#define NEXUS_PLUGIN_GPU_EVENT_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/gpu/exported.hpp>
#include <nexus-plugin/gpu/stream.hpp>
#include <nexus-plugin/memory/process_memory.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// The parts of SharedEvent::handle().
template <class G>
struct ExportedEvent {
  static constexpr std::string_view kHead = "-event 1 ";  // after the backend's name

  // Throws NXS_InvalidValue.
  explicit ExportedEvent(std::string_view text) {
    ExportedText parts(text);
    if (parts.take(G::kBackend) && parts.take(kHead) && from.take_from(parts) &&
        parts.take_bytes(handle.reserved) && parts.take(" ") && parts.rest().ends_with('\n')) {
      page = parts.rest();
      return;
    }
    throw Error(
        NXS_InvalidValue,
        "handle is not an exported event of a GPU; give all bytes that nxsExportEvent wrote");
  }

  Exported<G> from;
  typename G::EventHandle handle{};
  std::string_view page;  // the handle of the shared memory
};

// An event of the driver that processes share, and shared memory that tells what the driver does
// not: whether it was recorded, and whether its process has released it. Only the process that made
// it records it. Any thread.
template <class G>
class SharedEvent {
 public:
  using Device = typename G::Device;

  // Makes a new one. The device must be current. Throws the driver's error.
  explicit SharedEvent(Device &device)
      : device_(&device),
        page_(ProcessMemory::make(sizeof(Page))),
        exporter_(static_cast<uint64_t>(getpid())) {
    device.check(G::make_event(&event_, G::kSharedEvent), "making an event that processes share");
  }
  // Opens an event of another process. Throws as nxsImportEvent does.
  SharedEvent(Device &device, const ExportedEvent<G> &exported)
      : device_(&device), exporter_(exported.from.process) {
    try {
      page_ = ProcessMemory::open(exported.page);
    } catch (const Error &error) {
      if (error.status() == NXS_InvalidOperation) throw_gone();
      throw;
    }
    if (page_.size() < sizeof(Page)) throw_gone();
    exported.from.check_opened(G::open_event(&event_, exported.handle), device, "event");
  }
  ~SharedEvent() {
    try {
      const typename G::Use current(*device_);
      if (made_here()) {
        page().state.store(G::query(event_) == kSuccess ? Page::kDone : Page::kNotDone);
      }
      G::errors.log_unreleased(G::destroy(event_), "destroying an event that processes share");
    } catch (const std::exception &) {  // the device is lost, and its events with it
    }
  }
  SharedEvent(const SharedEvent &) = delete;
  SharedEvent &operator=(const SharedEvent &) = delete;

  bool made_here() const noexcept { return page_.made_here(); }
  typename G::NativeEvent get() const noexcept { return event_; }
  // Returns the text for nxsExportEvent. event: its id.
  std::string handle(nxs_id event) const {
    const typename G::Use current(*device_);
    typename G::EventHandle told{};
    device_->check(G::export_event(&told, event_), "exporting an event");
    return join(G::kBackend, ExportedEvent<G>::kHead, Exported<G>::here(*device_, event).text(),
                hexadecimal({told.reserved, sizeof(told.reserved)}), " ", page_.handle());
  }

  // For the process that made it: records it after the stream's work.
  void record(Enqueuing<G> &work) {
    work.check(G::record(event_, work.stream), "recording an event that processes share");
    page().recorded.fetch_add(1);
  }

  // For other processes: implement nxsQueryEvent and nxsSynchronizeEvent.
  bool done() const {
    if (released_done()) return true;
    if (page().recorded.load() == 0) return false;
    const typename G::Use current(*device_);
    const Result result = G::query(event_);
    if (result == G::kNotReady) return false;
    device_->check(result, "asking an event of another process");
    return true;
  }
  bool wait(uint64_t timeout) const {
    using Clock = std::chrono::steady_clock;
    constexpr auto longest = static_cast<uint64_t>(std::chrono::nanoseconds::max().count()) / 2;
    const auto end = Clock::now() + std::chrono::nanoseconds(std::min(timeout, longest));
    auto pause = kFirstPause;
    while (!done()) {
      const auto left = end - Clock::now();
      if (left <= left.zero()) return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(left, pause));
      pause = std::min(pause * 2, kLastPause);
    }
    return true;
  }
  // Throws NXS_InvalidOperation if it was never recorded.
  void enqueue_wait(Enqueuing<G> &work) const {
    if (released_done()) return;
    if (page().recorded.load() == 0) {
      throw Error(NXS_InvalidOperation, "process ", exporter_,
                  " created the event and has not signalled it yet; wait for it on the host first");
    }
    work.check(G::wait(work.stream, event_), "enqueuing a wait for an event of another process");
  }

 private:
  static constexpr std::chrono::microseconds kFirstPause{20}, kLastPause{1000};

  // The shared memory, at first zeros.
  struct Page {
    static constexpr uint64_t kAlive = 0, kDone = 1, kNotDone = 2;

    std::atomic<uint64_t> recorded;  // how often
    std::atomic<uint64_t> state;     // kAlive, or what it was when its process released it
  };
  Page &page() const noexcept { return *reinterpret_cast<Page *>(page_.data()); }

  // Returns whether its process has released it and it is done. Throws if it is released or its
  // process has ended, and it may never be done.
  bool released_done() const {
    const uint64_t state = page().state.load();
    const bool lives = kill(static_cast<pid_t>(exporter_), 0) == 0 || errno != ESRCH;
    if (state == Page::kAlive && lives) return false;
    if (state == Page::kDone && page().recorded.load() != 0) return true;
    throw_gone();
  }
  [[noreturn]] void throw_gone() const {
    throw Error(NXS_InvalidOperation, "process ", exporter_,
                " released the event, has ended, or belongs to another user; keep the event open "
                "there while others wait for it");
  }

  Device *device_;
  typename G::NativeEvent event_{};
  ProcessMemory page_;
  uint64_t exporter_ = 0;  // number of the process
};

template <class G>
using SharedEventPtr = Shared<SharedEvent<G>>;

// A binary event, which processes may share. Any thread.
template <class G>
class Event : public QueuedEvent<Queue<G>> {
  using Base = QueuedEvent<Queue<G>>;

 public:
  using Device = typename G::Device;

  using Base::Base;
  // imported: it is of another process or was imported in this one, and can't be signalled.
  Event(Device &owner, SharedEventPtr<G> shared, bool imported)
      : Base(owner, false), shared_(std::move(shared)), imported_(imported) {}

  // Returns an empty pointer for an event of this process alone.
  const SharedEventPtr<G> &shared() const noexcept { return shared_; }
  bool imported() const noexcept { return imported_; }

  nxs_ticket signal(Stream<G> &stream) {
    if (imported_) {
      throw Error(NXS_InvalidOperation,
                  "the event was imported, and only the process that created it can signal it; "
                  "create an event in this process");
    }
    const auto also = [&](Enqueuing<G> &work) {
      if (shared_) shared_->record(work);
    };
    return this->signal_by(stream, [&] { return stream.signal(this->timed(), also); });
  }
  nxs_ticket let_wait(Stream<G> &stream) const {
    if (!imported_) return Base::let_wait(stream);
    return stream.submit([&](Enqueuing<G> &work) {
      stream.tickets().prepare_to_wait();
      shared_->enqueue_wait(work);
    });
  }
  void wait(uint64_t timeout, nxs_completion *out_completion) const {
    if (!imported_) return Base::wait(timeout, out_completion);
    nxs_completion &out = check_struct(out_completion, "out_completion");
    this->device().refuse_lost();
    const bool is_done = timeout == 0 ? shared_->done() : shared_->wait(timeout);
    write_completion(out, is_done, nullptr, 0);
  }
  // Returns the driver's event of the newest signal, which the next one replaces; 0 before the
  // first.
  uintptr_t native_handle() const {
    if (shared_) return reinterpret_cast<uintptr_t>(shared_->get());
    const auto signal = this->try_newest();
    return signal.event ? reinterpret_cast<uintptr_t>(signal.event->get()) : 0;
  }

 private:
  const SharedEventPtr<G> shared_;
  const bool imported_ = false;
};

// Implements nxsCreateEvent. events: the backend's handle table, as below.
template <class G, class Events>
nxs_id create_event(Events &events, typename G::Device &device, nxs_execution_settings settings) {
  constexpr nxs_execution_settings both =
      NXS_ExecutionSettings_Timing | NXS_ExecutionSettings_Shareable;
  check_settings(settings, both);
  if (settings == both) {
    throw Error(NXS_InvalidValue,
                "settings has Timing and Shareable, and shareable events have no timing; give one "
                "of them");
  }
  if (settings != NXS_ExecutionSettings_Shareable) return events.create(device, settings != 0);
  check_sharing(device);
  device.refuse_lost();
  const typename G::Use current(device);
  return events.create(device, SharedEventPtr<G>::make(device), false);
}

// Implements nxsExportEvent.
template <class G>
void export_event(const Event<G> &event, nxs_id id, const nxs_sink &sink) {
  check_sharing(event.device());
  if (!event.shared() || event.imported()) {
    throw Error(NXS_InvalidOperation, "the event was ",
                event.imported() ? "imported; export it in the process that created it"
                                 : "not created shareable; create it with shareable=True (in C "
                                   "NXS_ExecutionSettings_Shareable)");
  }
  event.device().refuse_lost();
  write_to(sink, event.shared()->handle(id));
}

// Finds an event that this process exported, which the driver can't open here.
template <class G, class Events>
SharedEventPtr<G> own_shared_event(Events &events, typename G::Device &device, nxs_id id) {
  SharedEventPtr<G> shared;
  try {
    const Ref<Event<G>> own = events.pin(id);
    if (!own->imported() && &own->device() == &device) shared = own->shared();
  } catch (const Error &) {  // it was released
  }
  if (shared) return shared;
  throw Error(NXS_InvalidOperation, "the event of handle is gone; keep the exported event open");
}

// Implements nxsImportEvent.
template <class G, class Events>
nxs_id import_event(Events &events, typename G::Device &device, std::string_view handle) {
  check_sharing(device);
  device.refuse_lost();
  const typename G::Use current(device);
  const ExportedEvent<G> exported(handle);
  exported.from.check_device(device, "an event");
  SharedEventPtr<G> shared = exported.from.of_this_process()
                                 ? own_shared_event<G>(events, device, exported.from.object)
                                 : SharedEventPtr<G>::make(device, exported);
  return events.create(device, std::move(shared), true);
}

template <class G>
inline constexpr auto event_properties = property_table<Event<G>>({
    {NP_Type, [](const Event<G> &) -> Value { return "binary"; }},
    {NP_NativeHandle,
     [](const Event<G> &event) -> Value {
       const uintptr_t handle = event.native_handle();
       return handle == 0 ? Value() : Value(handle);
     }},
});

}  // namespace gpu
}  // namespace nexus_plugin

// Defines the functions of events. Gpu: the backend's struct. The others are its handle tables.
//   NEXUS_PLUGIN_GPU_EVENTS(Gpu, devices, streams, events)
#define NEXUS_PLUGIN_GPU_EVENTS(Gpu, devices, streams, events)                        \
  NEXUS_PLUGIN_OBJECT(Event, events, nexus_plugin::gpu::event_properties<Gpu>)        \
  NEXUS_PLUGIN_QUEUED_EVENT(events, streams)                                          \
  NEXUS_PLUGIN_RESULT(                                                                \
      CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id * out),    \
      nexus_plugin::gpu::create_event<Gpu>(events, *(devices).pin(device), settings)) \
  NEXUS_PLUGIN_SHARED(Event, devices, events,                                         \
                      nexus_plugin::gpu::export_event<Gpu>(*object, id, sink),        \
                      nexus_plugin::gpu::import_event<Gpu>(events, *owner, text))

#endif  // NEXUS_PLUGIN_GPU_EVENT_HPP_
