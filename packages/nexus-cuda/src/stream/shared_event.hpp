// SPDX-License-Identifier: Apache-2.0
// An event of the driver that processes share.
#ifndef NEXUS_CUDA_SHARED_EVENT_HPP_
#define NEXUS_CUDA_SHARED_EVENT_HPP_

#include "stream/exported.hpp"
#include "stream/stream.hpp"

#include <atomic>
#include <nexus-plugin/process_memory.hpp>
#include <nexus-plugin/shared.hpp>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

// One event of the driver, which the process that made it records again and again, and a page that
// tells the others what the driver does not: whether it ever was. Any thread.
class SharedEvent {
 public:
  // A new one. With the device's context current. Throws what the driver says.
  explicit SharedEvent(Device &device);
  // Imports what handle() returned in another process. Throws as nxsImportEvent.
  SharedEvent(Device &device, std::string_view handle);
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
  bool was_recorded() const noexcept;

  Device *device_;
  CUevent event_ = nullptr;
  nexus_plugin::ProcessMemory page_;
  uint64_t exporter_ = 0;  // number of the process
};

using SharedEventPtr = nexus_plugin::Shared<SharedEvent>;

// The id of the exporting process's own event, where handle is of this process; else 0.
nxs_id own_event(Device &device, std::string_view handle);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SHARED_EVENT_HPP_
