// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_EVENT_HPP_
#define NEXUS_CUDA_EVENT_HPP_

#include "stream/shared_event.hpp"
#include "stream/signal.hpp"
#include "stream/stream.hpp"

#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

// A binary event: the name of the newest signal that it was given. Any thread.
class Event {
 public:
  // device outlives this.
  Event(Device &device, bool timed) : device_(&device), timed_(timed) {}
  // With other processes; one that was imported can't be signalled.
  Event(Device &device, SharedEventPtr shared, bool imported)
      : device_(&device), timed_(false), shared_(std::move(shared)), imported_(imported) {}

  Device &device() const noexcept { return *device_; }
  // Empty where no other process can have it.
  const SharedEventPtr &shared() const noexcept { return shared_; }
  bool imported() const noexcept { return imported_; }
  // Enqueues a wait for the newest signal. Throws NXS_InvalidOperation where there was none yet.
  nxs_ticket let_wait(Stream &stream) const;

  // Enqueues a signal, which is the newest one from now on. Returns its ticket.
  // Throws NXS_InvalidDevice where the stream is another device's.
  nxs_ticket signal(Stream &stream);
  // The newest signal. Throws NXS_InvalidOperation where there was none yet.
  Signal newest() const;
  // The driver's event of it, which is another one after the next signal; 0 where there was none.
  uintptr_t native_handle() const;
  // As nxsSynchronizeEvent, and with a timeout of 0 as nxsQueryEvent.
  void wait(uint64_t timeout, nxs_completion *out_completion) const;
  // Nanoseconds of the device's clock from the newest signal of start to that of this one. Throws
  // as nxsGetElapsedTime.
  double since(const Event &start) const;

 private:
  Signal happened() const;

  Device *device_;
  const bool timed_;
  const SharedEventPtr shared_;
  const bool imported_ = false;
  mutable std::mutex mutex_;
  Signal newest_;
};

// The plug-in's events.
extern constinit nexus_plugin::HandleTable<Event, NXS_ObjectType_Event> events;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_EVENT_HPP_
