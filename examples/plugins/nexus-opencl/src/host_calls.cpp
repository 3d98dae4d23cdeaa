// SPDX-License-Identifier: Apache-2.0
#include "host_calls.hpp"

#include <nexus-plugin/work_queue.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::WorkQueue;

// Never destroyed: drivers call until the process ends.
WorkQueue &caller() {
  static WorkQueue *const queue = new WorkQueue;
  return *queue;
}

void call_now(HostCall &call) noexcept {
  if (const cl_event event = call.awaited.get()) {
    call.stream->device().cl().WaitForEvents(1, &event);
  }
  Tickets &tickets = call.stream->tickets();
  call.callback(call.context, nexus_plugin::status_of(tickets.cause()));
  call.condition->returned.store(true, std::memory_order_release);
  tickets.poll();
  tickets.bell()->ring();
}

// Gives the call to the thread; where there is none, it is made here.
void hand_over(std::unique_ptr<HostCall> call) noexcept {
  HostCall *const given = call.get();
  try {
    caller().submit([given] {
      const std::unique_ptr<HostCall> owned(given);
      call_now(*owned);
    });
    static_cast<void>(call.release());
  } catch (const std::exception &) {
    call_now(*given);
  }
}

// Called by the driver, on a thread of its own.
void fall_due(cl_event, cl_int, void *user) {
  hand_over(std::unique_ptr<HostCall>(static_cast<HostCall *>(user)));
}

}  // namespace

void call_when_done(std::unique_ptr<HostCall> call, Owned<cl_event> event) noexcept {
  const Functions &cl = call->stream->device().cl();
  if (cl.SetEventCallback(event.get(), CL_COMPLETE, fall_due, call.get()) == CL_SUCCESS) {
    static_cast<void>(call.release());
    return;
  }
  call->awaited = std::move(event);  // the driver won't tell: the thread waits itself
  hand_over(std::move(call));
}

}  // namespace nexus_opencl
