// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include "stream.hpp"
#include "wait_threads.hpp"

#include <memory>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::FailurePtr;

Owned<cl_event> Queue::record() const {
  Enqueuing work{*device, device->cl(), queue.get()};
  enqueue_marker(work);
  Owned<cl_event> marker(work.cl, work.event);
  flush(work);
  return marker;
}

cl_int Queue::query(const Owned<cl_event> &event) noexcept {
  cl_int status = CL_COMPLETE;
  const cl_int error = event.cl().GetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                               sizeof(status), &status, nullptr);
  return error == CL_SUCCESS ? status : error;
}

FailurePtr Queue::failure_of(cl_int status) noexcept {
  try {
    throw_error(status, "work of the stream");
  } catch (...) {
    return nexus_plugin::current_failure();
  }
}

namespace {

// Called by the driver, on a thread of its own.
void wake_up(cl_event, cl_int, void *user) {
  const std::unique_ptr<WakePtr> wake(static_cast<WakePtr *>(user));
  (*wake)->wake();
}

void make_host_call(cl_event, cl_int, void *user) {
  nexus_plugin::HostCalls<Queue>::reached(user);
}

}  // namespace

bool Queue::wake_when_done(Owned<cl_event> event, const WakePtr &wake) const noexcept {
  if (waits_inside()) return wake_after_waiting(device->cl(), std::move(event), wake);
  try {
    auto given = std::make_unique<WakePtr>(wake);
    if (device->cl().SetEventCallback(event.get(), CL_COMPLETE, wake_up, given.get()) !=
        CL_SUCCESS) {
      return false;
    }
    static_cast<void>(given.release());
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

uint64_t time_of(const Owned<cl_event> &event) {
  uint64_t time = 0;
  check(event.cl().GetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof(time), &time,
                                         nullptr),
        "reading the time of an event");
  return time;
}

double Queue::elapsed(Device &, const Event &start, const Event &end) {
  return static_cast<double>(static_cast<int64_t>(time_of(end) - time_of(start)));
}

void Queue::enqueue_host_call(Enqueuing &work, void (*)(void *), void *call) {
  // Nothing is begun where the callback is refused.
  Enqueuing marker{work.device, work.cl, work.queue};
  enqueue_marker(marker);
  Owned<cl_event> event(work.cl, marker.event);
  check(work.cl.SetEventCallback(event.get(), CL_COMPLETE, make_host_call, call),
        "enqueuing a host callback");
  work.event = event.take();
}

}  // namespace nexus_opencl
