// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_STREAM_HPP_
#define NEXUS_CPU_STREAM_HPP_

#include "execution/task.hpp"
#include "execution/turn.hpp"
#include "pool/pool.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <nexus-plugin/completion.hpp>
#include <nexus-plugin/handle_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

// Work in its order, beside the caller.
//
// A stream has no thread. It is moved on by whoever gave it something to do while
// it was idle, and from then on by whoever ends what it waits for: the pool's
// thread that finished a job last, the one that signals an event, the one that
// leaves a schedule. It is moved by one thread at a time; `moving_` says that there
// is one, or that something it waits for will bring one.
class Stream final : private TurnWaiter {
 public:
  Stream() = default;
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // Each submits work and returns its ticket, or throws the cause where the stream
  // has failed. Any thread.

  // blocking: the caller is going to wait, so short work may be done here.
  nxs_ticket run(nexus_plugin::Ref<Schedule> schedule, bool blocking, bool timed);
  nxs_ticket transfer(Transfer transfer);
  nxs_ticket signal(nexus_plugin::SignalPtr signal);
  nxs_ticket wait(nexus_plugin::SignalPtr signal);
  nxs_ticket callback(Callback callback);
  nxs_ticket marker();  // nothing but the ticket

  const nexus_plugin::Completion &completion() const noexcept { return completion_; }

 private:
  // The thread that advances the stream, which decides what may run on it.
  enum class Mover {
    kCaller,   // nothing that takes time
    kBlocked,  // what is short, and a share of what is not long: the caller would only wait
    kWorker    // what is short or has one part only: this is a thread of the pool
  };
  enum class Progress { kDone, kWaiting };

  // Takes body on success only.
  nxs_ticket submit(TaskBody &&body, Mover mover);
  Task *take_free_task();
  void move_on(Mover mover) noexcept;
  bool take_next() noexcept;
  Progress advance(Mover mover) noexcept;
  Progress advance_run(RunTask &run, Mover mover);
  Progress advance_wait(WaitTask &wait);
  Progress start(Work &work, Mover mover);
  void end_task() noexcept;
  void fail(nexus_plugin::FailurePtr cause) noexcept;
  void abandon(const nexus_plugin::FailurePtr &cause) noexcept;
  bool may_run_here(const Work &work, Mover mover) noexcept;
  bool may_help(const Work &work, Mover mover) noexcept;
  void run_here(Work &work, Mover mover);

  static void run_units(Job &job, uint64_t begin, uint64_t end, unsigned worker) noexcept;
  static void job_done(Job &job) noexcept;
  void turn_came() noexcept override;

  nexus_plugin::Completion completion_;

  std::mutex mutex_;  // for the next five
  Task *first_ = nullptr;
  Task *last_ = nullptr;
  Task *free_ = nullptr;  // used again, so that submitting allocates nothing
  bool moving_ = false;
  nexus_plugin::Ref<Stream> self_;  // while moving: a released stream goes on to its end

  // For the thread that moves the stream.
  struct StreamJob : Job {
    Stream *stream = nullptr;
    Work *work = nullptr;
  };
  Task *current_ = nullptr;
  StreamJob job_;
  uint64_t spent_here_ns_ = 0;  // by a caller, since it began to move the stream
  nxs_ticket blocked_run_ = 0;  // of a caller that waits for it while it moves the stream; else 0
};

extern constinit nexus_plugin::HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_STREAM_HPP_
