// SPDX-License-Identifier: Apache-2.0
#include "execution/stream.hpp"

#include "execution/buffer.hpp"
#include "objects/device.hpp"

#include <algorithm>
#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/stream/event.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

// Work that does nothing, so that a thread of the pool goes on with a run.
class Rest final : public Work {
 public:
  Rest() : Work(1, 1, false) {}
  void run(uint64_t, uint64_t, unsigned) noexcept override {}
  uint64_t expected_ns() const noexcept override { return 0; }
};

// Never destroyed, since threads of the pool outlive the end of main().
Rest &going_on = *new Rest;

}  // namespace

Stream::Waiter::Waiter(Stream &of) noexcept : stream(&of) {
  proceed = [](RunLock::Waiter &waiter) noexcept {
    static_cast<Waiter &>(waiter).stream->move_on(ThreadKind::kCaller);
  };
  over = branches_over;
}

Stream::~Stream() {
  while (free_ != nullptr) delete std::exchange(free_, free_->next);
}

// ---- Submitting -------------------------------------------------------

nxs_ticket Stream::submit(TaskBody &&body, ThreadKind thread) {
  Pool::get();  // may throw, so it comes before the ticket is issued
  nxs_ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    Task *task = free_ == nullptr ? new Task : std::exchange(free_, free_->next);
    try {
      ticket = task->ticket = completion_.issue();
    } catch (...) {
      task->next = std::exchange(free_, task);
      throw;
    }
    task->body = std::move(body);
    task->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = task;
    last_ = task;
    if (moving_) return ticket;
    moving_ = true;
    self_ = Ref<Stream>::to(*this);
  }
  spent_here_ns_ = 0;
  blocked_run_ = thread == ThreadKind::kBlocked ? ticket : 0;
  move_on(thread);
  return ticket;
}

// ---- Moving on --------------------------------------------------------

// Runs tasks until one has to wait. After that another thread may already be moving the stream, so
// nothing of it may be touched.
void Stream::move_on(ThreadKind thread) noexcept {
  while (current_ != nullptr || take_next()) {
    if (advance(thread) == Progress::kWaiting) return;
    end_task();
  }
}

// Returns false if there is no next task: then the stream is idle and may be destroyed on return.
bool Stream::take_next() noexcept {
  Ref<Stream> last_share;
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr) {
    moving_ = false;
    last_share = std::move(self_);
    return false;
  }
  current_ = first_;
  first_ = first_->next;
  return true;
}

Stream::Progress Stream::advance(ThreadKind thread) noexcept {
  try {
    if (const Failure *failed = completion_.failure(); failed != nullptr) {
      abandon(completion_.cause());
      return Progress::kDone;
    }
    TaskBody &body = current_->body;
    if (auto *run = std::get_if<RunTask>(&body)) return advance_run(*run, thread);
    if (auto *wait = std::get_if<WaitTask>(&body)) return advance_wait(*wait);
    if (auto *signal = std::get_if<SignalTask>(&body)) signal->signal->happen({});
    if (auto *transfer = std::get_if<Transfer>(&body)) return start(*transfer, thread);
    if (auto *callback = std::get_if<Callback>(&body)) return start(*callback, thread);
  } catch (...) {
    fail(current_failure());
  }
  return Progress::kDone;
}

Stream::Progress Stream::advance_run(RunTask &run, ThreadKind thread) {
  if (run.timed && run.start_ns == 0) run.start_ns = now_ns();
  const auto &steps = run.plan->steps;
  while (run.next_step < steps.size()) {
    // Incremented before the step starts, since another thread may continue with the next one.
    const Step &step = steps[run.next_step++];
    if (step.work != nullptr) {
      if (start(*step.work, thread) == Progress::kWaiting) return Progress::kWaiting;
    } else if (step.release != nullptr) {
      step.release->release();
    } else if (step.acquire != nullptr) {
      if (!step.acquire->acquire(waiter_)) return Progress::kWaiting;
    } else if (step.branches != nullptr) {
      if (!step.branches->pay()) continue;
      run.next_step = step.next;
      run.branches = step.branches.get();
      if (!step.branches->start(waiter_, thread)) return Progress::kWaiting;
      if (step.branches->failure()) throw Failed(step.branches->failure());
    } else if (step.choice != nullptr) {
      if (!choose(run, *step.choice, thread)) return submit(going_on);
    } else {
      run.next_step = step.next;
    }
  }
  run.end(false, run.timed ? now_ns() - run.start_ns : 0);
  return Progress::kDone;
}

// Continues as the integer selects. Returns false if another thread must continue, at the same
// step.
bool Stream::choose(RunTask &run, const Choice &choice, ThreadKind thread) {
  if (choice.type != NXS_CommandType_While) {
    run.next_step = choice.next(0);
    return true;
  }
  uint64_t &turns = run.turns[choice.loop];
  if (turns != 0) {
    if (!may_turn_here(thread)) {
      --run.next_step;
      return false;
    }
    if (loops_stop_.load(std::memory_order_relaxed)) {
      throw Error(NXS_Cancelled,
                  "the stream was closed or the process ended before the condition of a while "
                  "command was 0, after ",
                  turns, " iterations; set it to 0, or give max_count");
    }
  }
  run.next_step = choice.next(turns);
  turns = run.next_step == choice.end ? 0 : turns + 1;
  return true;
}

// Returns whether the thread may begin another turn of a loop: a caller does not stay in one for
// long, and a thread of the pool lets other work run from time to time.
bool Stream::may_turn_here(ThreadKind thread) noexcept {
  constexpr uint64_t kTurnNanoseconds = 100;
  constexpr unsigned kTurns = 64;
  if (thread == ThreadKind::kWorker) {
    turns_here_ = (turns_here_ + 1) % kTurns;
    return turns_here_ != 0;
  }
  spent_here_ns_ = std::min(kShortNanoseconds, spent_here_ns_ + kTurnNanoseconds);
  return thread == ThreadKind::kBlocked && spent_here_ns_ < kShortNanoseconds;
}

Stream::Progress Stream::advance_wait(WaitTask &wait) {
  const SignalPtr signal = wait.signal;
  if (!wait.asked && !signal->released()) {
    wait.asked = true;
    // If the signal happens now, this calls the function at once, which moves the stream on.
    signal->then([this](const FailurePtr &) { move_on(ThreadKind::kCaller); });
    return Progress::kWaiting;
  }
  if (signal->failure()) fail(signal->failure());
  return Progress::kDone;
}

// Does the work on this thread, or submits it to the pool.
Stream::Progress Stream::start(Work &work, ThreadKind thread) {
  if (work.units() == 0) return Progress::kDone;
  if (may_run_here(work, thread)) {
    run_here(work, thread);
    return Progress::kDone;
  }
  if (!may_help(work, thread)) return submit(work);
  job_.set(work, job_done);
  job_.stream = this;
  if (!Pool::get().submit_and_help(job_)) return Progress::kWaiting;
  work.finish(job_.busy_ns.load(std::memory_order_relaxed));
  return Progress::kDone;
}

Stream::Progress Stream::submit(Work &work) noexcept {
  job_.set(work, job_done);
  job_.stream = this;
  Pool::get().submit(job_);
  return Progress::kWaiting;
}

// Returns whether a caller that waits for a run may share its work. Only for work so short that
// Ctrl-C is not noticeably delayed.
bool Stream::may_help(const Work &work, ThreadKind thread) noexcept {
  constexpr uint64_t kHelpedNanoseconds = 2'000'000;  // of one thread
  return thread == ThreadKind::kBlocked && current_->ticket == blocked_run_ &&
         std::holds_alternative<RunTask>(current_->body) &&
         work.expected_ns() <= kHelpedNanoseconds;
}

bool Stream::may_run_here(const Work &work, ThreadKind thread) noexcept {
  const uint64_t expected = work.expected_ns();
  switch (thread) {
    case ThreadKind::kCaller:
      return false;
    case ThreadKind::kBlocked:
      return expected <= kShortNanoseconds - spent_here_ns_;
    case ThreadKind::kWorker:
      return worker_runs(work);
  }
  return false;
}

void Stream::run_here(Work &work, ThreadKind thread) {
  const unsigned worker =
      thread == ThreadKind::kWorker ? Pool::current_worker() : Pool::configured_size();
  const bool timed = work.wants_time();
  const uint64_t start = timed ? now_ns() : 0;
  work.run(0, work.units(), worker);
  const uint64_t spent = timed ? now_ns() - start : 0;
  if (thread == ThreadKind::kBlocked) {
    const uint64_t counted = timed ? spent : work.expected_ns();
    spent_here_ns_ = std::min(kShortNanoseconds, spent_here_ns_ + counted);
  }
  work.finish(spent);
}

void Stream::job_done(Job &job) noexcept {
  auto &finished = static_cast<StreamJob &>(job);
  Stream &stream = *finished.stream;
  bool over = !std::holds_alternative<RunTask>(stream.current_->body);
  try {
    finished.work->finish(finished.busy_ns.load(std::memory_order_relaxed));
  } catch (...) {
    stream.fail(current_failure());
    over = true;
  }
  if (over) stream.end_task();
  stream.move_on(ThreadKind::kWorker);
}

void Stream::branches_over(Branches::Caller &caller, ThreadKind thread) noexcept {
  Stream &stream = *static_cast<Waiter &>(caller).stream;
  const Branches &branches = *std::get<RunTask>(stream.current_->body).branches;
  if (branches.failure()) {
    stream.fail(branches.failure());
    stream.end_task();
  }
  stream.move_on(thread);
}

// ---- Ending -----------------------------------------------------------

void Stream::end_task() noexcept {
  Task *task = std::exchange(current_, nullptr);
  const nxs_ticket ticket = task->ticket;
  SignalPtr signal;
  if (auto *given = std::get_if<SignalTask>(&task->body)) signal = std::move(given->signal);
  task->body = std::monostate();  // releases its references before completion is reported
  {
    const std::lock_guard lock(mutex_);
    task->next = free_;
    free_ = task;
  }
  if (completion_.failure() == nullptr) completion_.complete(ticket);
  if (signal) signal->release();
}

void Stream::fail(FailurePtr cause) noexcept {
  abandon(cause);
  completion_.fail(std::move(cause));
}

// Reports the current task's failure to its waiters.
void Stream::abandon(const FailurePtr &cause) noexcept {
  TaskBody &body = current_->body;
  if (auto *signal = std::get_if<SignalTask>(&body)) signal->signal->set(cause);
  if (auto *callback = std::get_if<Callback>(&body)) callback->call(status_of(cause));
  auto *run = std::get_if<RunTask>(&body);
  if (run == nullptr) return;
  // Releases the locks that the run holds: those that a later step releases without acquiring them
  // first.
  std::size_t acquired_later = 0;
  const auto &steps = run->plan->steps;
  for (std::size_t i = run->next_step; i < steps.size(); ++i) {
    if (steps[i].acquire != nullptr) ++acquired_later;
    if (steps[i].release == nullptr) continue;
    if (acquired_later > 0) {
      --acquired_later;
    } else if (run->next_step > 0) {
      steps[i].release->release();
    }
  }
  run->end(true, 0);
}

namespace {

constinit HandleTable<BinaryEvent, NXS_ObjectType_Event> events;

constexpr auto event_properties = property_table<BinaryEvent>({
    {NP_Type, [](const BinaryEvent &) -> Value { return "binary"; }},
});

nxs_ticket copy_out(Stream &stream, Ref<Buffer> from, uint64_t offset, void *host_ptr,
                    uint64_t size) {
  std::byte *data = from->data() + offset;
  return stream.transfer(
      Transfer({{}, static_cast<std::byte *>(host_ptr)}, {std::move(from), data}, size));
}

nxs_ticket copy_in(Stream &stream, Ref<Buffer> to, uint64_t offset, const void *host_ptr,
                   uint64_t size) {
  std::byte *data = to->data() + offset;
  // The cast is safe, since a transfer only reads its source.
  auto *source = static_cast<std::byte *>(const_cast<void *>(host_ptr));
  return stream.transfer(Transfer({std::move(to), data}, {{}, source}, size));
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_OBJECT(Stream, streams, common_stream_properties<Stream>)
NEXUS_PLUGIN_STREAM(streams, completion())
NEXUS_PLUGIN_FUNCTION(StopLoops, (nxs_id stream), streams.pin(stream)->stop_loops())
NEXUS_PLUGIN_HOST_STREAM(devices, streams, events)
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_EVENT(events)
NEXUS_PLUGIN_HOST_COPIES(buffers, streams,
                         copy_out(*queue, std::move(buffer), offset, host_ptr, size),
                         copy_in(*queue, std::move(buffer), offset, host_ptr, size))
NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->marker())
