// SPDX-License-Identifier: Apache-2.0
#include "relay.hpp"

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

}  // namespace

void enqueue_relayed_wait(Enqueuing &work, const Signal &signal, cl_context context) {
  const char *what = "enqueuing a wait for another platform's event";
  cl_int error = CL_SUCCESS;
  const cl_event waited_for = work.cl.CreateUserEvent(context, &error);
  check(error, what);
  auto waiting = std::make_unique<Relay>(work.cl, Owned<cl_event>(work.cl, waited_for));
  check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &waited_for, &work.event), what);
  work.begun = true;
  error = signal.stream->device().cl().SetEventCallback(signal.event.get(), CL_COMPLETE, relay,
                                                        waiting.get());
  if (error != CL_SUCCESS) {
    waiting->set(error);  // else the queue would wait forever
    check(error, what);
  }
  static_cast<void>(waiting.release());
}

}  // namespace nexus_opencl
