// SPDX-License-Identifier: Apache-2.0
#include "device/queue.hpp"

#include "device/device_state.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr const char *kWork = "work of the stream";

}  // namespace

CUevent Queue::make_event(Device &device, bool timed) {
  CUevent made = nullptr;
  device.check(cu.EventCreate(&made, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
               "making an event");
  return made;
}

CUstream Queue::make_stream(nexus_cuda::Device &device, int32_t priority) {
  CUstream made = nullptr;
  device.check(cu.StreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, priority),
               "making a stream");
  return made;
}

EventPtr Queue::record() const {
  EventPtr event = EventPtr::make(device->state().events, false);
  device->check(cu.EventRecord(event->get(), pooled->stream), kWork);
  return event;
}

nexus_plugin::FailurePtr Queue::failure_of(CUresult status) const noexcept {
  return device->failure_of(status, kWork);
}

void Queue::waited() const {
  device->state().memory.keep_to_threshold();
}

void Queue::enqueue_wait(Enqueuing &work, const Signal &signal) {
  work.check(cu.StreamWaitEvent(work.stream, signal.event->get(), 0),
             "enqueuing a wait for an event");
}

double Queue::elapsed(nexus_cuda::Device &device, const EventPtr &start, const EventPtr &end) {
  device.refuse_lost();
  const CurrentContext current(device);
  float milliseconds = 0;
  device.check(cu.EventElapsedTime(&milliseconds, start->get(), end->get()),
               "reading the time between two events");
  return static_cast<double>(milliseconds) * 1e6;
}

void Queue::enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call) {
  work.check(cu.LaunchHostFunc(work.stream, reached, call), "enqueuing a host callback");
}

void Queue::call_later(EventPtr event, std::function<void()> call) const noexcept {
  device->state().frees.add({std::move(event)}, std::move(call));
}

}  // namespace nexus_cuda
