// SPDX-License-Identifier: Apache-2.0
// Waits for events. Those of one platform do not leave it, so a queue of another waits for an event
// of its own, which is set when theirs is done.
#include "stream.hpp"

#include <memory>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

// Sets the event of the waiting context, in any case.
class Relay {
 public:
  Relay(const Functions &cl, Owned<cl_event> event) : cl_(&cl), event_(std::move(event)) {}
  void set(cl_int status) const noexcept { cl_->SetUserEventStatus(event_.get(), status); }

 private:
  const Functions *cl_;
  Owned<cl_event> event_;
};

// Called by the driver of the signal, on a thread of its own.
void relay(cl_event, cl_int status, void *user) {
  const std::unique_ptr<Relay> waiting(static_cast<Relay *>(user));
  waiting->set(status < CL_COMPLETE ? status : CL_COMPLETE);
}

void enqueue_relayed_wait(Enqueuing &work, const Owned<cl_event> &event) {
  const char *what = "enqueuing a wait for another platform's event";
  cl_int error = CL_SUCCESS;
  const cl_event waited_for = work.cl.CreateUserEvent(work.device.context(), &error);
  check(error, what);
  auto waiting = std::make_unique<Relay>(work.cl, Owned<cl_event>(work.cl, waited_for));
  check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &waited_for, &work.event), what);
  work.begun = true;
  error = event.cl().SetEventCallback(event.get(), CL_COMPLETE, relay, waiting.get());
  if (error != CL_SUCCESS) {
    waiting->set(error);  // else the queue would wait forever
    check(error, what);
  }
  static_cast<void>(waiting.release());
}

}  // namespace

void Queue::enqueue_wait(Enqueuing &work, const Signal &signal) {
  if (&signal.stream->device().platform() != &work.device.platform()) {
    return enqueue_relayed_wait(work, signal.event);
  }
  const cl_event event = signal.event.get();
  check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &event, &work.event),
        "enqueuing a wait for an event");
}

}  // namespace nexus_opencl
