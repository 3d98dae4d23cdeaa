// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_EVENT_HPP_
#define NEXUS_CUDA_EVENT_HPP_

#include "stream/shared_event.hpp"
#include "stream/stream.hpp"

#include <nexus-plugin/handle_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

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
extern constinit nexus_plugin::HandleTable<Event, NXS_ObjectType_Event> events;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EVENT_HPP_
