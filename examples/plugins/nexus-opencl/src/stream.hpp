// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_STREAM_HPP_
#define NEXUS_OPENCL_STREAM_HPP_

#include "device.hpp"
#include "queue.hpp"

#include <cstdint>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

// What one submission is enqueued with.
struct Enqueuing {
  const Device &device;
  const Functions &cl;
  cl_command_queue queue;
  cl_event event = nullptr;  // of its last command; NULL where there was none
  bool begun = false;        // something was enqueued
};

// Enqueues what is done when all before it is.
void enqueue_marker(Enqueuing &work);
// Hands what was enqueued to the device.
void flush(Enqueuing &work);

// An in-order queue of a driver. Any thread may submit, query and wait.
class Stream : public nexus_plugin::QueuedStream<Queue> {
 public:
  // priority: as nxsCreateStream. device outlives this.
  Stream(const Device &device, int32_t priority);

  cl_command_queue queue() const noexcept { return tickets().queue().queue.get(); }

  // Submits what enqueue(Enqueuing &) enqueues, and returns its ticket. Where it throws before
  // anything was enqueued nothing was done; else the stream fails.
  // Throws the cause where the stream has failed.
  template <class Enqueue>
  nxs_ticket submit(Enqueue &&enqueue) {
    return submit_marked(std::forward<Enqueue>(enqueue), {});
  }
  // The same, done when the condition is too, which may be empty.
  template <class Enqueue>
  nxs_ticket submit_marked(Enqueue &&enqueue, ConditionPtr condition) {
    const std::lock_guard lock(tickets().mutex());
    return submit_locked(std::forward<Enqueue>(enqueue), std::move(condition));
  }

  // Submits a signal. timed: with a time of its own.
  Signal signal(bool timed);

 private:
  template <class Enqueue>
  nxs_ticket submit_locked(Enqueue &&enqueue, ConditionPtr condition) {
    tickets().prepare();
    Enqueuing work{device(), device().cl(), queue()};
    try {
      std::forward<Enqueue>(enqueue)(work);
      if (work.event != nullptr) flush(work);
    } catch (...) {
      if (work.begun || work.event != nullptr) tickets().fail(nexus_plugin::current_failure());
      if (work.event != nullptr) release(work.cl, work.event);
      throw;
    }
    return tickets().add(Owned<cl_event>(work.cl, work.event), std::move(condition));
  }
};

extern constinit nexus_plugin::HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_STREAM_HPP_
