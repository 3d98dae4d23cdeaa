// SPDX-License-Identifier: Apache-2.0 An in-order queue of work on the host: a stream for backends
// whose work is function calls. Its thread starts lazily, with the first work that needs it.
#ifndef NEXUS_PLUGIN_WORK_QUEUE_HPP_
#define NEXUS_PLUGIN_WORK_QUEUE_HPP_

#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/base/thread.hpp>
#include <nexus-plugin/stream/completion.hpp>
#include <nexus-plugin/stream/event.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// The thread that runs the work of a submission.
enum class RunOn {
  kThread,  // the queue's thread
  kCaller   // the caller, if no earlier work is left: for a caller that would only wait
};

namespace detail {

// Shared by the queue and its thread; the last of them frees it.
class WorkQueueState {
 public:
  struct Task {
    virtual ~Task() = default;
    // failure: why earlier work failed, or empty. May throw.
    virtual void run(const FailurePtr &failure) = 0;
    nxs_ticket ticket = 0;
    SignalPtr signal;  // happens in run(); released when the ticket is complete
    std::unique_ptr<Task> next;
  };
  using TaskPtr = std::unique_ptr<Task>;

  Completion completion;

  // self: owns this object.
  nxs_ticket submit(const Shared<WorkQueueState> &self, TaskPtr task, RunOn where) {
    nxs_ticket ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      completion.refuse_after_failure();
      if (where == RunOn::kThread || running_ || first_ != nullptr) {
        if (!started_) start(self);
        return push(std::move(task));
      }
      running_ = true;
      ticket = task->ticket = completion.issue_checked();
    }
    run(std::move(task));
    return ticket;
  }

  // Ends the thread after the last task. Nothing may be submitted any more.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_one();
  }

 private:
  // The thread is an owner too. It gets a plain pointer, since members of std::thread would be
  // visible for a type of the kit.
  void start(const Shared<WorkQueueState> &self) {
    auto share = std::make_unique<Shared<WorkQueueState>>(self);
    void (*entry)(void *) = &WorkQueueState::serve;
    start_thread(entry, static_cast<void *>(share.get())).detach();
    static_cast<void>(share.release());
    started_ = true;
  }

  static void serve(void *given) noexcept {
    const std::unique_ptr<Shared<WorkQueueState>> share(
        static_cast<Shared<WorkQueueState> *>(given));
    WorkQueueState &state = **share;
    while (TaskPtr task = state.pop()) state.run(std::move(task));
  }

  // Called with the lock held. Nothing can fail after the ticket was taken.
  nxs_ticket push(TaskPtr task) noexcept {
    Task *pushed = task.get();
    (first_ == nullptr ? first_ : last_->next) = std::move(task);
    last_ = pushed;
    changed_.notify_one();
    return pushed->ticket = completion.issue_checked();
  }

  // Waits for the next task and marks it as running. Returns NULL after the last one.
  TaskPtr pop() {
    std::unique_lock lock(mutex_);
    while (running_ || (first_ == nullptr && !closing_)) changed_.wait(lock);
    TaskPtr task = std::move(first_);
    if (task) first_ = std::move(task->next);
    running_ = task != nullptr;
    return task;
  }

  void run(TaskPtr task) noexcept {
    const nxs_ticket ticket = task->ticket;
    try {
      task->run(completion.cause());
    } catch (...) {
      completion.fail(current_failure());
    }
    const SignalPtr signal = std::move(task->signal);
    task.reset();  // releases its objects before anybody sees that it is done
    {
      const std::lock_guard lock(mutex_);
      if (completion.failure() == nullptr) completion.complete(ticket);
      running_ = false;
      changed_.notify_one();
    }
    if (signal) signal->release();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  TaskPtr first_;
  Task *last_ = nullptr;  // valid if first_ is not NULL
  bool running_ = false;  // whether a task runs, on any thread
  bool started_ = false;  // whether the thread is
  bool closing_ = false;
};

}  // namespace detail

// Any thread may submit, query and wait. Submitted work still runs after the queue is destroyed.
// The thread is detached, so nothing is joined at exit.
class WorkQueue {
 public:
  WorkQueue() : state_(Shared<detail::WorkQueueState>::make()) {}
  ~WorkQueue() { state_->close(); }
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;

  // Submits work. Calls work() when all earlier work is done, but not if some of it failed;
  // work(const FailurePtr &) is called in either case. If the work throws, the queue fails with
  // that. Throws the cause if the queue has failed already.
  template <class Work>
  nxs_ticket submit(Work &&work, RunOn where = RunOn::kThread) {
    return state_->submit(state_, task_of(std::forward<Work>(work)), where);
  }

  // Implements nxsEnqueueHostCallback.
  nxs_ticket call_host(void (*callback)(void *context, nxs_status status), void *context) {
    return submit([=](const FailurePtr &failure) { callback(context, status_of(failure)); });
  }

  // Implements nxsSignalEvent.
  nxs_ticket signal(BinaryEvent &event) {
    const SignalPtr signal = SignalPtr::make();
    auto task = task_of([&at = *signal](const FailurePtr &failure) { at.happen(failure); });
    task->signal = signal;
    const nxs_ticket ticket = state_->submit(state_, std::move(task), RunOn::kThread);
    event.submitted(signal);
    return ticket;
  }

  // Implements nxsWaitEvent.
  nxs_ticket wait_for(const BinaryEvent &event) {
    return submit([signal = event.newest()] { signal->join(); });
  }

  const Completion &completion() const noexcept { return state_->completion; }
  bool done(nxs_ticket ticket) const noexcept { return completion().done(ticket); }

 private:
  template <class Work>
  struct TaskOf final : detail::WorkQueueState::Task {
    explicit TaskOf(Work given) : work(std::move(given)) {}
    void run(const FailurePtr &failure) override {
      if constexpr (std::is_invocable_v<Work &, const FailurePtr &>) {
        work(failure);
      } else if (!failure) {
        work();
      }
    }
    Work work;
  };

  template <class Work>
  static detail::WorkQueueState::TaskPtr task_of(Work &&work) {
    return std::make_unique<TaskOf<std::decay_t<Work>>>(std::forward<Work>(work));
  }

  Shared<detail::WorkQueueState> state_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_WORK_QUEUE_HPP_
