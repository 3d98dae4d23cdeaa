// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include "stream.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
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

struct DriverWait {
  DriverWait(const Functions &functions, Owned<cl_event> awaited, const WakePtr &told)
      : cl(&functions), event(std::move(awaited)), wake(told) {}

  const Functions *cl;
  Owned<cl_event> event;
  WakePtr wake;
  std::unique_ptr<DriverWait> next;
};
using DriverWaitPtr = std::unique_ptr<DriverWait>;

// Threads that wait in a driver in place of callers, whose waits have an end.
//
// A processor's driver lets the threads that wait in it take part in the work. Intel's needs them:
// while a kernel runs, commands of other queues only run on a thread that waits for them
// (seen with 2026.22.10.0.01).
//
// As many threads as there are waits at a time; those that are idle wait for the next.
class WaitThreads {
 public:
  void take(DriverWaitPtr wait) {
    const std::lock_guard lock(mutex_);
    if (idle_ <= waiting_) std::thread(&WaitThreads::serve, this).detach();
    wait->next = std::move(first_);
    first_ = std::move(wait);
    ++waiting_;
    changed_.notify_one();
  }

 private:
  static void serve(WaitThreads *self) noexcept {
    while (true) {
      const DriverWaitPtr wait = self->next();
      const cl_event event = wait->event.get();
      wait->cl->WaitForEvents(1, &event);
      wait->wake->wake();
    }
  }

  DriverWaitPtr next() noexcept {
    std::unique_lock lock(mutex_);
    ++idle_;
    while (!first_) changed_.wait(lock);
    --idle_;
    --waiting_;
    DriverWaitPtr taken = std::move(first_);
    first_ = std::move(taken->next);
    return taken;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  DriverWaitPtr first_;  // the newest first: the order is of no matter
  unsigned waiting_ = 0;
  unsigned idle_ = 0;
};

// Never destroyed: its threads run until the process ends.
WaitThreads &wait_threads() {
  static WaitThreads *const threads = new WaitThreads;
  return *threads;
}

// Wakes when the event is done, whatever became of it. False where there is no thread to be had.
bool wake_after_waiting(const Functions &cl, Owned<cl_event> event, const WakePtr &wake) noexcept {
  try {
    wait_threads().take(std::make_unique<DriverWait>(cl, std::move(event), wake));
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

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

// Events of one platform do not leave it, so a queue of another waits for an event of its own,
// which is set when theirs is done.
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

void Queue::enqueue_wait(Enqueuing &work, const Signal &signal) {
  if (&signal.stream->device().platform() != &work.device.platform()) {
    return enqueue_relayed_wait(work, signal.event);
  }
  const cl_event event = signal.event.get();
  check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &event, &work.event),
        "enqueuing a wait for an event");
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
