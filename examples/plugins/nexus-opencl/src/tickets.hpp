// SPDX-License-Identifier: Apache-2.0
// The tickets of a stream, and the driver's events that tell what became of them.
//
// A ticket is a mark: an event of the driver's, or none where nothing was enqueued for it. Marks
// are looked at in their order, since an event is not done before those ahead of it.
#ifndef NEXUS_OPENCL_TICKETS_HPP_
#define NEXUS_OPENCL_TICKETS_HPP_

#include "opencl.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nexus-plugin/completion.hpp>
#include <nexus-plugin/shared.hpp>
#include <nexus-plugin/slot.hpp>
#include <nexus-plugin/wait.hpp>

namespace nexus_opencl NXS_HIDDEN {

class Stream;

// What a mark needs beside its event.
struct Condition {
  // Work that waits for a ticket of another stream: fails where that did.
  explicit Condition(nexus_plugin::Ref<Stream> stream, nxs_ticket ticket);
  // A host callback, which is done when it has returned.
  Condition();
  ~Condition();

  // Whether it is known, without asking the driver. Takes no lock.
  bool known() const noexcept;
  // Why the other stream's ticket failed; valid once it is known.
  nexus_plugin::FailurePtr failure() const noexcept;

  nexus_plugin::Ref<Stream> awaited;  // empty for a host callback
  nxs_ticket ticket = 0;
  std::atomic<bool> returned{false};
};
using ConditionPtr = nexus_plugin::Shared<Condition>;

// Wakes those who wait for a stream. Drivers call it on threads of theirs, where nothing of the
// stream may be touched and no lock of a stream's be taken.
class Bell {
 public:
  uint64_t rung() const noexcept { return rung_.load(std::memory_order_seq_cst); }
  void ring() noexcept {
    rung_.fetch_add(1, std::memory_order_seq_cst);
    changed_.notify();
  }
  // Waits until it was rung more often than seen, or timeout nanoseconds have passed.
  void wait(uint64_t seen, uint64_t timeout) {
    changed_.wait(timeout, [&] { return rung() != seen; });
  }

 private:
  std::atomic<uint64_t> rung_{0};
  nexus_plugin::WaitPoint changed_;
};
using BellPtr = nexus_plugin::Shared<Bell>;

class Tickets {
 public:
  // cl outlives this. wait_inside: whether threads that wait in the driver help it.
  Tickets(const Functions &cl, bool wait_inside) : cl_(&cl), wait_inside_(wait_inside) {}
  ~Tickets();
  Tickets(const Tickets &) = delete;
  Tickets &operator=(const Tickets &) = delete;

  // ---- For one who submits, and holds mutex() from prepare() to add() ----

  // Makes enqueuing and add() one step.
  std::mutex &mutex() noexcept { return mutex_; }
  // Does all that can fail without the driver. Throws the cause where the stream has failed.
  void prepare();
  // The next ticket is done when the event is, which it takes over (NULL: when those before are).
  nxs_ticket add(cl_event event, ConditionPtr condition = {}) noexcept;
  // Part of a submission was enqueued and the rest was refused: the stream fails.
  void fail(nexus_plugin::FailurePtr cause) noexcept;
  // A reference to the newest event that is not known done; NULL where there is none.
  cl_event newest_event() const noexcept;

  // ---- For anybody ----

  // Whether threads that wait in the driver help it.
  bool waits_inside() const noexcept { return wait_inside_; }

  // As nxsQueryStream and nxsWaitStream.
  void query(nxs_ticket ticket, nxs_completion *out_completion);
  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion);

  // Asks the driver what is done.
  void poll() noexcept;
  // Whether the ticket is completed or failed. Asks the driver where that is not known.
  bool done(nxs_ticket ticket) noexcept;
  // A reference to an event that is done no earlier than the ticket; NULL where that is known done.
  cl_event event_of(nxs_ticket ticket) noexcept;
  // Why the stream has failed, also while work that was submitted behind the failure still runs.
  nexus_plugin::FailurePtr cause() noexcept;

  const nexus_plugin::Completion &completion() const noexcept { return completion_; }
  const BellPtr &bell() const noexcept { return bell_; }

 private:
  struct Mark {
    nxs_ticket ticket = 0;
    cl_event event = nullptr;
    ConditionPtr condition;
    bool watched = false;  // the driver rings when the event is done
  };

  Mark &at(std::size_t place) const noexcept { return marks_[place & (capacity_ - 1)]; }
  void make_room();
  ConditionPtr reap() noexcept;
  void take_first(nexus_plugin::FailurePtr failure) noexcept;
  bool spin(nxs_ticket ticket) noexcept;
  bool watch(nxs_ticket ticket) noexcept;
  bool ring_when_done(Owned<cl_event> event) noexcept;
  Mark *last_event_until(nxs_ticket ticket) const noexcept;

  const Functions *cl_;
  const bool wait_inside_;
  nexus_plugin::Completion completion_;
  const BellPtr bell_ = BellPtr::make();

  std::mutex mutex_;  // for the rest
  std::unique_ptr<Mark[]> marks_;
  std::size_t capacity_ = 0;          // a power of two
  std::size_t first_ = 0, next_ = 0;  // places, which only grow
  nexus_plugin::FailurePtr cause_;    // told when nothing behind it runs any more
};

// CL_COMPLETE, negative where it failed, or positive while it is not done.
cl_int status_of_event(const Functions &cl, cl_event event) noexcept;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_TICKETS_HPP_
