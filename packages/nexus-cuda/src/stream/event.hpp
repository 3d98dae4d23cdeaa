// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_EVENT_HPP_
#define NEXUS_CUDA_EVENT_HPP_

#include "stream/exported.hpp"
#include "stream/stream.hpp"

#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/memory/process_memory.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::ProcessMemory;

// What SharedEvent::handle() writes. Throws NXS_InvalidValue where the text is none.
struct ExportedEvent {
  explicit ExportedEvent(std::string_view text);

  Exported from;
  CUipcEventHandle handle{};
  std::string_view page;
};

// One event of the driver, which the process that made it records again and again, and a page that
// tells the others what the driver does not: whether it ever was. Any thread.
class SharedEvent {
 public:
  // A new one. With the device's context current. Throws what the driver says.
  explicit SharedEvent(Device &device);
  // Opens an event of another process. Throws as nxsImportEvent.
  SharedEvent(Device &device, const ExportedEvent &exported);
  ~SharedEvent();
  SharedEvent(const SharedEvent &) = delete;
  SharedEvent &operator=(const SharedEvent &) = delete;

  bool made_here() const noexcept { return page_.made_here(); }
  CUevent get() const noexcept { return event_; }
  // As nxsExportEvent of the event of that id.
  std::string handle(nxs_id event) const;

  // In the exporting process: behind the stream's work.
  void record(Enqueuing &work);

  // In the importing process. As nxsQueryEvent and nxsSynchronizeEvent.
  bool done() const;
  bool wait(uint64_t timeout) const;
  // Throws NXS_InvalidOperation where nothing was recorded yet.
  void enqueue_wait(Enqueuing &work) const;

 private:
  struct Page;
  Page &page() const noexcept;
  // Throws where the exporting process has let go of it.
  bool has_ended() const;

  Device *device_;
  CUevent event_ = nullptr;
  ProcessMemory page_;
  uint64_t exporter_ = 0;  // number of the process
};

using SharedEventPtr = Shared<SharedEvent>;

// A binary event, which processes may share. Any thread.
class Event : public nexus_plugin::QueuedEvent<Queue> {
 public:
  using QueuedEvent::QueuedEvent;
  // With other processes; one that was imported can't be signalled.
  Event(Device &device, SharedEventPtr shared, bool imported)
      : QueuedEvent(device, false), shared_(std::move(shared)), imported_(imported) {}

  // Empty where no other process can have it.
  const SharedEventPtr &shared() const noexcept { return shared_; }
  bool imported() const noexcept { return imported_; }

  nxs_ticket signal(Stream &stream);
  nxs_ticket let_wait(Stream &stream) const;
  void wait(uint64_t timeout, nxs_completion *out_completion) const;
  // The driver's event of the newest signal, which is another one after the next; 0 where there was
  // none.
  uintptr_t native_handle() const;

 private:
  const SharedEventPtr shared_;
  const bool imported_ = false;
};

// The plug-in's events.
extern constinit HandleTable<Event, NXS_ObjectType_Event> events;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EVENT_HPP_
