// SPDX-License-Identifier: Apache-2.0
// The tickets of one stream: which work was submitted, and what became of it.
//
// The stream's own lock makes issue() and the submission one step, and keeps two
// of them apart; complete() and fail() are called by whoever runs the work, in
// the order of the tickets.
// Asking is lock-free; waiting holds no lock that anybody else needs.
#ifndef NEXUS_PLUGIN_COMPLETION_HPP_
#define NEXUS_PLUGIN_COMPLETION_HPP_

#include <nexus-plugin/checks.hpp>
#include <nexus-plugin/failure.hpp>
#include <nexus-plugin/wait.hpp>

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
  // The next ticket. Throws the cause where the stream has failed.
  nxs_ticket issue() {
    refuse_after_failure();
    return issue_checked();
  }

  // issue() for one who called refuse_after_failure() before: does not throw, so
  // that a ticket is taken when nothing can go wrong with the submission any more.
  nxs_ticket issue_checked() noexcept {
    const nxs_ticket ticket = last() + 1;
    last_.store(ticket, std::memory_order_relaxed);
    return ticket;
  }

  // Throws the cause where the stream has failed.
  void refuse_after_failure() const {
    if (const Failure *cause = failure()) throw cause->error();
  }

  // The ticket, and with it every smaller one, is done.
  void complete(nxs_ticket ticket) noexcept {
    completed_.store(ticket, std::memory_order_seq_cst);
    changed_.notify();
  }

  // The ticket that is next to be completed failed, and so do all later ones. Only
  // the first failure counts.
  void fail(FailurePtr cause) noexcept {
    if (failure_.load(std::memory_order_acquire) != nullptr) return;
    cause_ = std::move(cause);
    failure_.store(cause_.get(), std::memory_order_seq_cst);
    changed_.notify();
  }

  // The first failure; NULL while there is none. Lives as long as this object.
  const Failure *failure() const noexcept { return failure_.load(std::memory_order_seq_cst); }
  FailurePtr cause() const { return failure() == nullptr ? FailurePtr() : cause_; }

  // The newest ticket issued, 0 before the first.
  nxs_ticket last() const noexcept { return last_.load(std::memory_order_relaxed); }

  // The newest ticket known complete.
  nxs_ticket completed() const noexcept { return completed_.load(std::memory_order_seq_cst); }

  // True where nothing submitted is still to run.
  bool idle() const noexcept { return completed() >= last() || failure() != nullptr; }

  // Returns whether the ticket is completed or failed.
  bool done(nxs_ticket ticket) const noexcept {
    return completed() >= ticket || failure() != nullptr;
  }

  // Answers nxsQueryStream. Ticket 0 asks for the stream: for the newest one, and for a failure
  // behind it. Throws NXS_InvalidValue for a ticket that was never given.
  void query(nxs_ticket ticket, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    report(ticket, check_ticket(ticket), out);
  }

  // Answers nxsWaitStream: as query() when the ticket is done or timeout
  // nanoseconds have passed, whichever is first.
  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    const nxs_ticket awaited = check_ticket(ticket);
    changed_.wait(timeout, [&] { return done(awaited); });
    report(ticket, awaited, out);
  }

  // Waits until the ticket is done, however long that takes. For a thread that serves one stream.
  void join(nxs_ticket ticket) const {
    while (!changed_.wait(WaitPoint::kLongest, [&] { return done(ticket); })) {
    }
  }

 private:
  nxs_ticket check_ticket(nxs_ticket ticket) const {
    const nxs_ticket newest = last();
    if (ticket > newest) {
      throw Error(NXS_InvalidValue, "ticket ", ticket, " was never given; the stream's newest is ",
                  newest);
    }
    return ticket == 0 ? newest : ticket;
  }

  // The failure is read first: what completed before it stays completed. ticket: what
  // check_ticket() made of asked.
  void report(nxs_ticket asked, nxs_ticket ticket, nxs_completion &out) const noexcept {
    const Failure *cause = failure();
    const nxs_ticket newest = completed();
    const bool is_done = newest >= ticket;
    write_completion(out, is_done, is_done && asked != 0 ? nullptr : cause, newest);
  }

  std::atomic<nxs_ticket> last_{0};
  std::atomic<nxs_ticket> completed_{0};
  std::atomic<const Failure *> failure_{nullptr};
  FailurePtr cause_;  // written once, before failure_
  mutable WaitPoint changed_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMPLETION_HPP_
