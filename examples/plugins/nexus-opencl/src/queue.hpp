// SPDX-License-Identifier: Apache-2.0
// What the kit is told of a driver's queues and events.
#ifndef NEXUS_OPENCL_QUEUE_HPP_
#define NEXUS_OPENCL_QUEUE_HPP_

#include "device.hpp"

#include <chrono>
#include <functional>
#include <nexus-plugin/queued_stream.hpp>

namespace nexus_opencl NXS_HIDDEN {

class Stream;
struct Enqueuing;
using Condition = nexus_plugin::Condition<Stream>;
using ConditionPtr = nexus_plugin::Shared<Condition>;
using nexus_plugin::WakePtr;

// An in-order queue of a driver, as tickets see it. Each submission has an event, that of its last
// command.
struct Queue {
  using Device = const nexus_opencl::Device;
  using Stream = nexus_opencl::Stream;
  using Event = Owned<cl_event>;
  using Status = cl_int;
  static constexpr cl_int kDone = CL_COMPLETE;
  static bool is_running(cl_int status) noexcept { return status > CL_COMPLETE; }
  // Work is often done before a sleeping thread would have woken.
  static constexpr std::chrono::microseconds kSpin{20};

  // OpenCL does not tell that a device is lost: each call says what is wrong.
  static const nexus_plugin::Failure *lost() noexcept { return nullptr; }
  static nexus_plugin::FailurePtr lost_cause() noexcept { return {}; }
  struct Use {};
  static Use use() noexcept { return {}; }

  Event record() const;
  static cl_int query(const Event &event) noexcept;
  // Asked only where a marker was refused, as each submission has an event: nothing runs there.
  static cl_int query_all() noexcept { return CL_INVALID_COMMAND_QUEUE; }
  static nexus_plugin::FailurePtr failure_of(cl_int status) noexcept;
  bool wake_when_done(Event event, const WakePtr &wake) const noexcept;

  static void waited() noexcept {}
  // The driver keeps what its commands use.
  static void call_later(const Event &, const std::function<void()> &) noexcept {}
  static void enqueue_wait(Enqueuing &work, const nexus_plugin::StreamSignal<Queue> &signal);
  static double elapsed(Device &device, const Event &start, const Event &end);
  static void enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call);

  // Returns whether threads that wait in the driver help it: see WaitThreads in queue.cpp.
  bool waits_inside() const noexcept { return (device->type() & CL_DEVICE_TYPE_CPU) != 0; }

  Device *device;
  Owned<cl_command_queue> queue;
};

using Signal = nexus_plugin::StreamSignal<Queue>;
using Tickets = nexus_plugin::Tickets<Queue>;

// The device's clock when the work of a timed event was done, in nanoseconds.
uint64_t time_of(const Owned<cl_event> &event);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_QUEUE_HPP_
