// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_EVENT_HPP_
#define NEXUS_OPENCL_EVENT_HPP_

#include "signal.hpp"
#include "stream.hpp"

#include <mutex>
#include <nexus-plugin/handle_table.hpp>

namespace nexus_opencl NXS_HIDDEN {

// A binary event: the name of the newest signal that it was given. Any thread.
class Event {
 public:
  // device outlives this.
  Event(const Device &device, bool timed) : device_(&device), timed_(timed) {}

  // Enqueues a signal, which is the newest one from now on. Returns its ticket.
  // Throws NXS_InvalidDevice where the stream is another device's.
  nxs_ticket signal(Stream &stream);
  // The newest signal. Throws NXS_InvalidOperation where there was none yet.
  Signal newest() const;
  // As nxsSynchronizeEvent, and with a timeout of 0 as nxsQueryEvent.
  void wait(uint64_t timeout, nxs_completion *out_completion) const;
  // The device's clock at the newest signal, in nanoseconds. Throws as nxsGetElapsedTime.
  uint64_t time() const;
  bool timed() const noexcept { return timed_; }
  bool happened() const;  // the newest signal; false where there was none

 private:
  Signal copy_newest() const;

  const Device *device_;
  const bool timed_;
  mutable std::mutex mutex_;
  Signal newest_;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_EVENT_HPP_
