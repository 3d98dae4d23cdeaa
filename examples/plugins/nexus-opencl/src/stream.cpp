// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <nexus-plugin/base/functions.hpp>
#include <thread>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

struct DriverWait {
  Owned<cl_event> event;
  WakePtr wake;
};

// Threads that wait in a driver for callers, whose own waits can time out.
//
// A processor's driver lets the threads that wait in it take part in the work. Intel's needs them:
// while a kernel runs, commands of other queues only run on a thread that waits for them
// (seen with 2026.22.10.0.01).
//
// There are as many threads as there were waits at a time; idle ones wait for the next.
class WaitThreads {
 public:
  void take(DriverWait wait) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(std::move(wait));
    if (idle_ < waits_.size()) start_thread();
    changed_.notify_one();
  }

 private:
  void start_thread() {
    try {
      std::thread(&WaitThreads::serve, this).detach();
    } catch (...) {
      waits_.pop_back();
      throw;
    }
  }

  void serve() noexcept {
    while (true) {
      const DriverWait wait = next();
      const cl_event event = wait.event.get();
      wait.event.cl().WaitForEvents(1, &event);
      wait.wake->wake();
    }
  }

  DriverWait next() noexcept {
    std::unique_lock lock(mutex_);
    ++idle_;
    changed_.wait(lock, [this] { return !waits_.empty(); });
    --idle_;
    DriverWait taken = std::move(waits_.back());  // the order is of no matter
    waits_.pop_back();
    return taken;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DriverWait> waits_;
  std::size_t idle_ = 0;
};

// Never destroyed: its threads run until the process ends.
WaitThreads &wait_threads() {
  static WaitThreads *const threads = new WaitThreads;
  return *threads;
}

// The driver of the signal calls it, on a thread of its own. user: the user event of the waiting
// platform, which is set after a failure too.
void relay(cl_event, cl_int status, void *user) {
  const std::unique_ptr<Owned<cl_event>> waiting(static_cast<Owned<cl_event> *>(user));
  waiting->cl().SetUserEventStatus(waiting->get(), status < CL_COMPLETE ? status : CL_COMPLETE);
}

// A queue can't wait for an event of another platform. It waits for a user event of its own, which
// is set when the other event is done.
void enqueue_relayed_wait(Enqueuing &work, const Owned<cl_event> &event) {
  const char *what = "enqueuing a wait for another platform's event";
  auto waiting = std::make_unique<Owned<cl_event>>(
      create(work.cl, what, work.cl.CreateUserEvent, work.device.context()));
  const cl_event waited_for = waiting->get();
  check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &waited_for, &work.event), what);
  work.begun = true;
  const cl_int error = event.cl().SetEventCallback(event.get(), CL_COMPLETE, relay, waiting.get());
  if (error != CL_SUCCESS) {
    work.cl.SetUserEventStatus(waited_for, error);  // else the queue would wait forever
    check(error, what);
  }
  static_cast<void>(waiting.release());
}

// The driver calls it, on a thread of its own.
void wake_up(cl_event, cl_int, void *user) {
  const std::unique_ptr<WakePtr> wake(static_cast<WakePtr *>(user));
  (*wake)->wake();
}

void make_host_call(cl_event, cl_int, void *user) {
  HostCalls<Queue>::reached(user);
}

// Returns the device's clock when the work of a timed event was done, in nanoseconds.
uint64_t time_of(const Owned<cl_event> &event) {
  uint64_t time = 0;
  check(event.cl().GetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof(time), &time,
                                         nullptr),
        "reading the time of an event");
  return time;
}

cl_properties priority_hint(const Device &device, int32_t priority) {
  if (!device.has_priorities()) {
    throw Error(NXS_InvalidValue, "priority is ", priority, "; the device '", device.name(),
                "' has no priorities, give 0");
  }
  if (priority < -1 || priority > 1) {
    throw Error(NXS_InvalidValue, "priority is ", priority, "; it must be -1, 0 or 1");
  }
  return priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
}

// Every queue has clocks: they can't be switched on later, when a timed event is recorded.
Owned<cl_command_queue> make_queue(const Device &device, int32_t priority) {
  const Functions &cl = device.cl();
  const cl_properties hint = priority == 0 ? 0 : priority_hint(device, priority);
  const char *what = "making a stream";
  if (cl.CreateCommandQueueWithProperties == nullptr) {
    return create(cl, what, cl.CreateCommandQueue, device.context(), device.id(),
                  CL_QUEUE_PROFILING_ENABLE);
  }
  const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                        hint == 0 ? 0 : CL_QUEUE_PRIORITY_KHR, hint, 0};
  return create(cl, what, cl.CreateCommandQueueWithProperties, device.context(), device.id(),
                wanted);
}

constexpr PropertyTable<Stream, 0> stream_properties{};

using Event = QueuedEvent<Queue>;

constinit HandleTable<Event, NXS_ObjectType_Event> events;

Value time_stamp(const Event &event) {
  const Queue::Signal newest = event.try_newest();
  const bool told = event.timed() && newest.stream && newest.stream->done(newest.ticket);
  return told ? Value(time_of(newest.event)) : Value();
}

constexpr auto event_properties = property_table<Event>({
    {NP_Type, [](const Event &) -> Value { return "binary"; }},
    {NP_TimeStamp, time_stamp},
});

nxs_id made_event(const Device &device, nxs_execution_settings settings) {
  check_settings(settings, NXS_ExecutionSettings_Timing);
  return events.create(device, settings != 0);
}

}  // namespace

Owned<cl_event> Queue::record() const {
  Enqueuing work{*device, device->cl(), queue.get()};
  Stream::mark(work);
  Owned marker(work.cl, work.event);
  Stream::flush(work);
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
    return current_failure();
  }
}

bool Queue::wake_when_done(Owned<cl_event> event, const WakePtr &wake) const noexcept {
  try {
    if (waits_inside()) {
      wait_threads().take({std::move(event), wake});
      return true;
    }
    auto given = std::make_unique<WakePtr>(wake);
    if (device->cl().SetEventCallback(event.get(), CL_COMPLETE, wake_up, given.get()) !=
        CL_SUCCESS) {
      return false;
    }
    static_cast<void>(given.release());
    return true;
  } catch (const std::exception &) {
    return false;  // there is no memory or no thread to be had
  }
}

double Queue::elapsed(Device &, const Signal &start, const Signal &end) {
  return static_cast<double>(static_cast<int64_t>(time_of(end.event) - time_of(start.event)));
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
  // Where the driver refuses the callback, work.event stays NULL: nothing was begun.
  Enqueuing marker{work.device, work.cl, work.queue};
  Stream::mark(marker);
  Owned<cl_event> event(work.cl, marker.event);
  check(work.cl.SetEventCallback(event.get(), CL_COMPLETE, make_host_call, call),
        "enqueuing a host callback");
  work.event = event.take();
}

Stream::Stream(const Device &device, int32_t priority)
    : QueuedStream(device, priority, {&device, make_queue(device, priority)}) {}

void Stream::mark(Enqueuing &work) {
  check(work.cl.EnqueueMarkerWithWaitList(work.queue, 0, nullptr, &work.event),
        "enqueuing a marker");
}

}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RELEASE(Stream, streams)
NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)
NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),
                    streams.create(device_of(device), priority))
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id *out),
                    made_event(device_of(device), settings))
