// SPDX-License-Identifier: Apache-2.0
// The tickets of a stream, and the driver's events that tell what became of them.
//
// A mark is an event of the driver's behind the work of a ticket. Most submissions get none, since
// an event costs a fifth of a launch: it is recorded when somebody asks, and then tells of all that
// was submitted until then. Work that others wait for gets its own at once.
#ifndef NEXUS_CUDA_TICKETS_HPP_
#define NEXUS_CUDA_TICKETS_HPP_

#include "condition.hpp"
#include "lanes.hpp"
#include "pooled_event.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nexus-plugin/completion.hpp>
#include <nexus-plugin/wait.hpp>

namespace nexus_cuda NXS_HIDDEN {

// Wakes those who wait for a stream.
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
  using Clock = std::chrono::steady_clock;

 public:
  // Both outlive this.
  Tickets(Device &device, const Lane &lane) : device_(&device), lane_(&lane) {}
  ~Tickets();
  Tickets(const Tickets &) = delete;
  Tickets &operator=(const Tickets &) = delete;

  // ---- For one who submits, and holds mutex() from prepare() to add() ----

  // Makes enqueuing and add() one step.
  std::mutex &mutex() noexcept { return mutex_; }
  // Does all that can fail. Throws the cause where the stream has failed.
  void prepare() {
    if (next_ - first_ == capacity_ || cause_ || refused()) [[unlikely]]
      prepare_slowly();
  }
  // The same for work that may wait, for another stream or a callback: what was submitted before it
  // gets a mark, so that it is told done meanwhile.
  void prepare_to_wait() {
    prepare();
    if (marked_ >= completion_.last()) return;
    (void)mark_newest();
    prepare();
  }
  // The next ticket, of what was enqueued since the one before.
  nxs_ticket add() noexcept {
    const nxs_ticket ticket = completion_.issue_checked();
    if (ticket - marked_ >= kUnmarked) [[unlikely]]
      mark_newest();
    return ticket;
  }
  // The same with a mark of its own. event: recorded behind it; condition may be empty.
  nxs_ticket add(EventPtr event, ConditionPtr condition) noexcept;
  // Part of a submission was enqueued and the rest was refused: the stream fails.
  void fail(nexus_plugin::FailurePtr cause) noexcept;
  // Whether nothing that was submitted is still to run. Asks the driver.
  bool idle() noexcept;

  // ---- For anybody ----

  // As nxsQueryStream and nxsWaitStream.
  void query(nxs_ticket ticket, nxs_completion *out_completion);
  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion);

  // Asks the driver what is done. ticket: whose fate is of interest.
  void poll(nxs_ticket ticket) noexcept;
  // Whether the ticket is completed or failed. Asks the driver where that is not known.
  bool done(nxs_ticket ticket) noexcept;
  // An event that is done no earlier than the ticket; empty where that is known done.
  EventPtr event_of(nxs_ticket ticket);
  // Of a ticket whose work on the device is done: whether it is done on the host too, or the stream
  // fails, and no thread copies for it any more. cause: then why the stream fails; may be NULL.
  bool settled(nxs_ticket ticket, nexus_plugin::FailurePtr *cause = nullptr) noexcept;
  // Why the stream has failed.
  nexus_plugin::FailurePtr cause() noexcept;

  const nexus_plugin::Completion &completion() const noexcept { return completion_; }
  const BellPtr &bell() const noexcept { return bell_; }

 private:
  struct Mark {
    nxs_ticket ticket = 0;
    EventPtr event;  // empty: done when those before are
    ConditionPtr condition;
  };

  // So many submissions without a mark, at most: what is known is never much behind.
  static constexpr nxs_ticket kUnmarked = 64;

  Mark &at(std::size_t place) const noexcept { return marks_[place & (capacity_ - 1)]; }
  bool refused() const noexcept;
  void prepare_slowly();
  void make_room();
  void put(Mark mark) noexcept;
  bool mark_newest() noexcept;
  std::unique_lock<std::mutex> lock_to_ask() noexcept;
  ConditionPtr look(nxs_ticket ticket) noexcept;
  ConditionPtr reap() noexcept;
  bool copies_up_to(nxs_ticket ticket) noexcept;
  bool fails_by(const Mark &mark) noexcept;
  void take_first() noexcept;
  void fail_when_ended(nexus_plugin::FailurePtr cause) noexcept;
  void end_cut_short() noexcept;
  EventPtr try_record() noexcept;
  CUresult ask_end() noexcept;
  bool all_is_done() noexcept;
  void wait_until(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion);
  bool spin(nxs_ticket ticket, Clock::time_point end) noexcept;

  Device *device_;
  const Lane *lane_;
  nexus_plugin::Completion completion_;
  const BellPtr bell_ = BellPtr::make();

  std::mutex mutex_;  // for the rest
  std::unique_ptr<Mark[]> marks_;
  std::size_t capacity_ = 0;          // a power of two
  std::size_t first_ = 0, next_ = 0;  // places, which only grow
  std::size_t conditions_ = 0;        // marks that have one
  nxs_ticket marked_ = 0;             // the newest ticket that a mark tells of
  nexus_plugin::FailurePtr cause_;    // why nothing more is taken
  nxs_ticket cut_short_ = 0;          // of what a submission had begun that was refused then
  bool failing_ = false;              // nothing more completes: the failure is told at the end
  EventPtr end_;                      // of what was submitted; may be empty
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TICKETS_HPP_
