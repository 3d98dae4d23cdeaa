// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_STREAM_HPP_
#define NEXUS_OPENCL_STREAM_HPP_

#include "device.hpp"
#include "queue.hpp"
#include "signal.hpp"

#include <cstdint>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

// What one submission is enqueued with.
struct Enqueuing {
  const Functions &cl;
  cl_command_queue queue;
  cl_event event = nullptr;  // of its last command; NULL where there was none
  bool begun = false;        // something was enqueued
};

// Enqueues what is done when all before it is.
void enqueue_marker(Enqueuing &work);
inline constexpr const char *kHandingOver = "handing work to the device";

// An in-order queue of a driver. Any thread may submit, query and wait.
class Stream {
 public:
  // priority: as nxsCreateStream. device outlives this.
  Stream(const Device &device, int32_t priority);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  const Device &device() const noexcept { return *device_; }
  int32_t priority() const noexcept { return priority_; }
  cl_command_queue queue() const noexcept { return queue_.get(); }
  Queue native() const noexcept { return {device_, queue_.get()}; }
  Tickets &tickets() noexcept { return tickets_; }
  const Tickets &tickets() const noexcept { return tickets_; }
  const nexus_plugin::Completion &completion() const noexcept { return tickets_.completion(); }
  // Returns whether the ticket is completed or failed. Asks the driver where that is not known.
  bool done(nxs_ticket ticket) noexcept { return tickets_.done(ticket); }

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
    const std::lock_guard lock(tickets_.mutex());
    return submit_locked(std::forward<Enqueue>(enqueue), std::move(condition));
  }

  // A ticket that is done when all work before it is.
  nxs_ticket mark();
  // The same, as a signal that others can wait for. timed: with a time of its own.
  Signal signal(bool timed);
  // Work from now on starts after the signal.
  nxs_ticket wait(const Signal &signal);

 private:
  template <class Enqueue>
  nxs_ticket submit_locked(Enqueue &&enqueue, ConditionPtr condition) {
    tickets_.prepare();
    Enqueuing work{device_->cl(), queue_.get()};
    try {
      std::forward<Enqueue>(enqueue)(work);
      if (work.event != nullptr) flush();
    } catch (...) {
      if (work.begun || work.event != nullptr) tickets_.fail(nexus_plugin::current_failure());
      if (work.event != nullptr) release(work.cl, work.event);
      throw;
    }
    return tickets_.add(Owned<cl_event>(work.cl, work.event), std::move(condition));
  }

  void flush();

  const Device *device_;
  int32_t priority_;
  Owned<cl_command_queue> queue_;
  Tickets tickets_;
};

extern constinit nexus_plugin::HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_STREAM_HPP_
