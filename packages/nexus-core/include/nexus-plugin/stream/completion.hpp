// SPDX-License-Identifier: Apache-2.0
// The tickets of one stream: which work was submitted, and which is completed or failed.
//
// The stream calls issue() and submits the work under one lock of its own. The code that runs the
// work calls complete() and fail(), in the order of the tickets. Queries are lock-free; waits hold
// no lock that another thread needs.
#ifndef NEXUS_PLUGIN_COMPLETION_HPP_
#define NEXUS_PLUGIN_COMPLETION_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/wait.hpp>

#include <atomic>

namespace nexus_plugin NXS_HIDDEN {

// Fills out: Completed, Running, or Failed with the failure's status and record.
inline void write_completion(nxs_completion &out, bool done, const Failure *failure,
                             nxs_ticket completed) noexcept {
  out.state = failure != nullptr ? NXS_CompletionState_Failed
              : done             ? NXS_CompletionState_Completed
                                 : NXS_CompletionState_Running;
  out.status = failure != nullptr ? failure->status() : NXS_Success;
  out.error = failure != nullptr ? failure->record() : 0;
  out.completed = completed;
}

class Completion {
 public:
  // Returns the next ticket. Throws the cause if the stream has failed.
  nxs_ticket issue() {
    refuse_after_failure();
    return issue_checked();
  }

  // Does the same after a call of refuse_after_failure(). Does not throw, so that a submission can
  // take its ticket when nothing else can fail any more.
  nxs_ticket issue_checked() noexcept {
    const nxs_ticket ticket = last() + 1;
    last_.store(ticket, std::memory_order_relaxed);
    return ticket;
  }

  // Throws the cause if the stream has failed.
  void refuse_after_failure() const {
    if (const Failure *cause = failure()) throw cause->error();
  }

  // Completes the ticket and every smaller one. Does not wake threads that wait for later tickets:
  // with many short pieces of work, the wake-ups would cost more than the work.
  void complete(nxs_ticket ticket) noexcept {
    completed_.store(ticket, std::memory_order_seq_cst);
    if (ticket < awaited_.load(std::memory_order_seq_cst)) return;
    awaited_.store(kNone, std::memory_order_seq_cst);
    changed_.notify();
  }

  // Fails all tickets that are not completed yet, and later ones. Only the first failure counts.
  void fail(FailurePtr cause) noexcept {
    if (failure_.load(std::memory_order_acquire) != nullptr) return;
    cause_ = std::move(cause);
    failure_.store(cause_.get(), std::memory_order_seq_cst);
    changed_.notify();
  }

  // The first failure, or NULL. Lives as long as this object.
  const Failure *failure() const noexcept { return failure_.load(std::memory_order_seq_cst); }
  FailurePtr cause() const { return failure() == nullptr ? FailurePtr() : cause_; }

  // The newest ticket issued, 0 before the first.
  nxs_ticket last() const noexcept { return last_.load(std::memory_order_relaxed); }

  // The newest completed ticket.
  nxs_ticket completed() const noexcept { return completed_.load(std::memory_order_seq_cst); }

  // Returns whether all submitted work is completed or the stream has failed.
  bool idle() const noexcept { return completed() >= last() || failure() != nullptr; }

  // Returns whether the ticket is completed or failed.
  bool done(nxs_ticket ticket) const noexcept {
    return completed() >= ticket || failure() != nullptr;
  }

  // Implements nxsQueryStream. Ticket 0 means the newest ticket, and also reports a failure after
  // it. Throws NXS_InvalidValue for a ticket that was never issued.
  void query(nxs_ticket ticket, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    report(ticket, check_ticket(ticket), out);
  }

  // Implements nxsWaitStream: waits until the ticket is done or timeout nanoseconds have passed,
  // and then does as query().
  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    const nxs_ticket awaited = check_ticket(ticket);
    changed_.wait(timeout, [&] { return done_or_awaited(awaited); });
    report(ticket, awaited, out);
  }

  // Waits without a limit until the ticket is done. For a thread that serves one stream.
  void join(nxs_ticket ticket) const {
    while (!changed_.wait(WaitPoint::kLongest, [&] { return done_or_awaited(ticket); })) {
    }
  }

 private:
  static constexpr nxs_ticket kNone = UINT64_MAX;

  // Returns whether the ticket is done; otherwise complete() notifies when it is. Each notification
  // makes all waiting threads check again.
  bool done_or_awaited(nxs_ticket ticket) const noexcept {
    nxs_ticket first = awaited_.load(std::memory_order_seq_cst);
    while (ticket < first &&
           !awaited_.compare_exchange_weak(first, ticket, std::memory_order_seq_cst)) {
    }
    return done(ticket);
  }

  nxs_ticket check_ticket(nxs_ticket ticket) const {
    const nxs_ticket newest = last();
    if (ticket > newest) {
      throw Error(NXS_InvalidValue, "ticket ", ticket, " was never given; the stream's newest is ",
                  newest);
    }
    return ticket == 0 ? newest : ticket;
  }

  // Reads the failure before completed_, so that a ticket that completed before the failure is
  // reported as completed. ticket: the result of check_ticket(asked).
  void report(nxs_ticket asked, nxs_ticket ticket, nxs_completion &out) const noexcept {
    const Failure *cause = failure();
    const nxs_ticket newest = completed();
    const bool is_done = newest >= ticket;
    write_completion(out, is_done, is_done && asked != 0 ? nullptr : cause, newest);
  }

  std::atomic<nxs_ticket> last_{0};
  std::atomic<nxs_ticket> completed_{0};
  std::atomic<const Failure *> failure_{nullptr};
  FailurePtr cause_;                                // written once, before failure_
  mutable std::atomic<nxs_ticket> awaited_{kNone};  // the smallest for which a thread waits
  mutable WaitPoint changed_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMPLETION_HPP_
