// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_STREAM_HPP_
#define NEXUS_OPENCL_STREAM_HPP_

#include "device.hpp"

#include <nexus-plugin/stream/queued_stream.hpp>

namespace nexus_opencl NXS_HIDDEN {

class Stream;

// What one submission is enqueued with.
struct Enqueuing {
  const Device &device;
  const Functions &cl;
  cl_command_queue queue;
  cl_event event = nullptr;  // of its last command; NULL if there was none
  bool begun = false;        // something was enqueued
};

// An in-order queue of a driver, as the kit sees it: see nexus-plugin/stream/queued_stream.hpp.
// Each submission has the event of its last command.
struct Queue {
  using Device = const nexus_opencl::Device;
  using Stream = nexus_opencl::Stream;
  using Event = Owned<cl_event>;
  using Status = cl_int;
  using Signal = StreamSignal<Queue>;
  static constexpr cl_int kDone = CL_COMPLETE;
  static bool is_running(cl_int status) noexcept { return status > CL_COMPLETE; }
  // Work is often done before a sleeping thread would have woken.
  static constexpr std::chrono::microseconds kSpin{20};

  // OpenCL does not report that a device is lost: each call says what is wrong.
  static const Failure *lost() noexcept { return nullptr; }
  static FailurePtr lost_cause() noexcept { return {}; }
  struct Use {};
  static Use use() noexcept { return {}; }

  Event record() const;
  static cl_int query(const Event &event) noexcept;
  // Asked only after a marker was refused, since each submission has an event: nothing runs then.
  static cl_int query_all() noexcept { return CL_INVALID_COMMAND_QUEUE; }
  static FailurePtr failure_of(cl_int status) noexcept;
  bool wake_when_done(Event event, const WakePtr &wake) const noexcept;

  static void waited() noexcept {}
  // The driver keeps what its commands use.
  static void call_later(const Event &, const std::function<void()> &) noexcept {}
  static void enqueue_wait(Enqueuing &work, const Signal &signal);
  static double elapsed(Device &device, const Signal &start, const Signal &end);
  static void enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call);

  // Returns whether threads that wait in the driver help it: see WaitThreads in stream.cpp.
  bool waits_inside() const noexcept { return (device->type() & CL_DEVICE_TYPE_CPU) != 0; }

  Device *device;
  Owned<cl_command_queue> queue;
};

// Any thread may submit, query and wait.
class Stream : public QueuedStream<Queue> {
 public:
  // priority: as nxsCreateStream. device outlives this.
  Stream(const Device &device, int32_t priority);

  cl_command_queue queue() const noexcept { return tickets().queue().queue.get(); }

  // See nexus-plugin/stream/queued_stream.hpp. timed: adds a marker, whose event has the time.
  template <class Enqueue>
  nxs_ticket submit_locked(Enqueue &&enqueue, const Shared<Condition<Stream>> &condition,
                           bool timed) {
    tickets().prepare();
    Enqueuing work{device(), device().cl(), queue()};
    try {
      enqueue(work);
      if (timed) mark(work);
      if (work.event != nullptr) flush(work);
    } catch (...) {
      if (work.begun || work.event != nullptr) tickets().fail(current_failure());
      if (work.event != nullptr) release(work.cl, work.event);
      throw;
    }
    return tickets().add(Owned(work.cl, work.event), condition);
  }

 private:
  // Enqueues a marker, which is done when all before it is.
  static void mark(Enqueuing &work);
  // Hands what was enqueued to the device.
  static void flush(Enqueuing &work) {
    check(work.cl.Flush(work.queue), "handing work to the device");
  }
  friend Queue;
};

extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_STREAM_HPP_
