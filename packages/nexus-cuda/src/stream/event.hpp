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

// The parts of SharedEvent::handle().
struct ExportedEvent {
  // Throws NXS_InvalidValue.
  explicit ExportedEvent(std::string_view text);

  Exported from;
  CUipcEventHandle handle{};
  std::string_view page;  // the handle of the shared memory
};

// An event of the driver that processes share, and shared memory that tells what the driver does
// not: whether it was recorded, and whether its process has released it. Only the process that made
// it records it. Any thread.
class SharedEvent {
 public:
  // Makes a new one. The device's context must be current. Throws the driver's error.
  explicit SharedEvent(Device &device);
  // Opens an event of another process. Throws as nxsImportEvent does.
  SharedEvent(Device &device, const ExportedEvent &exported);
  ~SharedEvent();
  SharedEvent(const SharedEvent &) = delete;
  SharedEvent &operator=(const SharedEvent &) = delete;

  bool made_here() const noexcept { return page_.made_here(); }
  CUevent get() const noexcept { return event_; }
  // Returns the text for nxsExportEvent. event: its id.
  std::string handle(nxs_id event) const;

  // For the process that made it: records it after the stream's work.
  void record(Enqueuing &work);

  // For other processes: implement nxsQueryEvent and nxsSynchronizeEvent.
  bool done() const;
  bool wait(uint64_t timeout) const;
  // Throws NXS_InvalidOperation if it was never recorded.
  void enqueue_wait(Enqueuing &work) const;

 private:
  struct Page;
  Page &page() const noexcept;
  // Returns whether its process has released it and it is done. Throws if it is released or its
  // process has ended, and it may never be done.
  bool released_done() const;

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
  // imported: it is of another process or was imported in this one, and can't be signalled.
  Event(Device &device, SharedEventPtr shared, bool imported)
      : QueuedEvent(device, false), shared_(std::move(shared)), imported_(imported) {}

  // Returns an empty pointer for an event of this process alone.
  const SharedEventPtr &shared() const noexcept { return shared_; }
  bool imported() const noexcept { return imported_; }

  nxs_ticket signal(Stream &stream);
  nxs_ticket let_wait(Stream &stream) const;
  void wait(uint64_t timeout, nxs_completion *out_completion) const;
  // Returns the driver's event of the newest signal, which the next one replaces; 0 before the
  // first.
  uintptr_t native_handle() const;

 private:
  const SharedEventPtr shared_;
  const bool imported_ = false;
};

extern constinit HandleTable<Event, NXS_ObjectType_Event> events;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EVENT_HPP_
