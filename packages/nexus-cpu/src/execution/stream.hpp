// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_STREAM_HPP_
#define NEXUS_CPU_STREAM_HPP_

#include "execution/task.hpp"
#include "pool/pool.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/stream/completion.hpp>

namespace nexus_cpu NXS_HIDDEN {

// An in-order stream that runs asynchronously to the caller.
//
// A stream has no thread of its own. An idle stream is moved on by the thread that submits to it;
// after that, by the thread that ends what it waits for: the last pool thread of a job, the one
// that signals an event, or the one that releases a schedule. One thread moves it at a time;
// `moving_` is set while there is such a thread, or while the stream waits for something that will
// move it on.
class Stream final {
 public:
  Stream() = default;
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // Each submits work and returns its ticket, or throws the stream's failure. Thread-safe.

  // blocking: the caller waits afterwards, so short work may run on its thread.
  nxs_ticket run(RunTask run, bool blocking) {
    return submit(std::move(run), blocking ? ThreadKind::kBlocked : ThreadKind::kCaller);
  }
  // Does short copies at once if the stream is idle: that takes less time than waking a thread.
  nxs_ticket transfer(Transfer transfer) {
    return submit(std::move(transfer), ThreadKind::kBlocked);
  }
  nxs_ticket signal(nexus_plugin::BinaryEvent &event) {
    const auto signal = nexus_plugin::SignalPtr::make();
    const nxs_ticket ticket = submit(SignalTask{signal}, ThreadKind::kCaller);
    event.submitted(signal);
    return ticket;
  }
  nxs_ticket wait_for(const nexus_plugin::BinaryEvent &event) {
    return submit(WaitTask{event.newest(), false}, ThreadKind::kCaller);
  }
  nxs_ticket call_host(Callback::Function function, void *context) {
    return submit(Callback(function, context), ThreadKind::kCaller);
  }
  // Ends loops before their next turn, and fails their runs.
  void stop_loops() noexcept { loops_stop_.store(true, std::memory_order_relaxed); }
  // Only issues a ticket.
  nxs_ticket marker() { return submit(std::monostate(), ThreadKind::kCaller); }

  const nexus_plugin::Completion &completion() const noexcept { return completion_; }

 private:
  enum class Progress { kDone, kWaiting };

  // Moves from body only on success.
  nxs_ticket submit(TaskBody &&body, ThreadKind thread);
  void move_on(ThreadKind thread) noexcept;
  bool take_next() noexcept;
  Progress advance(ThreadKind thread) noexcept;
  Progress advance_run(RunTask &run, ThreadKind thread);
  Progress advance_wait(WaitTask &wait);
  bool choose(RunTask &run, const Choice &choice, ThreadKind thread);
  bool may_turn_here(ThreadKind thread) noexcept;
  Progress start(Work &work, ThreadKind thread);
  void end_task() noexcept;
  void fail(nexus_plugin::FailurePtr cause) noexcept;
  void abandon(const nexus_plugin::FailurePtr &cause) noexcept;
  Progress submit(Work &work) noexcept;
  bool may_run_here(const Work &work, ThreadKind thread) noexcept;
  bool may_help(const Work &work, ThreadKind thread) noexcept;
  void run_here(Work &work, ThreadKind thread);

  static void job_done(Job &job) noexcept;
  static void branches_over(Branches::Caller &caller, ThreadKind thread) noexcept;

  nexus_plugin::Completion completion_;
  std::atomic<bool> loops_stop_{false};

  std::mutex mutex_;  // guards the next five
  Task *first_ = nullptr;
  Task *last_ = nullptr;
  Task *free_ = nullptr;  // reused, so that submitting allocates nothing
  bool moving_ = false;
  nexus_plugin::Ref<Stream> self_;  // set while moving, so that a released stream finishes its work

  // Used only by the thread that moves the stream.
  struct StreamJob : WorkJob {
    Stream *stream = nullptr;
  };
  struct Waiter : RunLock::Waiter, Branches::Caller {
    explicit Waiter(Stream &of) noexcept;
    Stream *stream;
  };
  Task *current_ = nullptr;
  StreamJob job_;
  Waiter waiter_{*this};
  unsigned turns_here_ = 0;     // of loops, by a thread of the pool that does nothing else
  uint64_t spent_here_ns_ = 0;  // how long a caller has worked since it began to move the stream
  nxs_ticket blocked_run_ = 0;  // the ticket for which the moving caller waits; else 0
};

extern constinit nexus_plugin::HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_STREAM_HPP_
