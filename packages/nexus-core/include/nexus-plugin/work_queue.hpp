// SPDX-License-Identifier: Apache-2.0
// An in-order queue of work on the host: a stream for backends whose work is
// plain function calls. Its thread starts with the first work that needs it.
#ifndef NEXUS_PLUGIN_WORK_QUEUE_HPP_
#define NEXUS_PLUGIN_WORK_QUEUE_HPP_

#include <nexus-plugin/completion.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// Who runs the work of a submission.
enum class RunOn {
  kThread,  // the queue's thread
  kCaller   // the caller, where nothing is before it: for a caller that would only wait
};

namespace detail {

// What the queue and its thread share; the last of them frees it.
class WorkQueueState : public std::enable_shared_from_this<WorkQueueState> {
 public:
  struct Task {
    virtual ~Task() = default;
    // failure: why earlier work failed, empty where it did not. May throw.
    virtual void run(const FailurePtr &failure) = 0;
    nxs_ticket ticket = 0;
  };
  using TaskPtr = std::unique_ptr<Task>;

  Completion completion;

  nxs_ticket submit(TaskPtr task, RunOn where) {
    nxs_ticket ticket = 0;
    {
      const std::lock_guard lock(mutex_);
      completion.refuse_after_failure();
      if (where == RunOn::kThread || running_ || !tasks_.empty()) return push(std::move(task));
      running_ = true;
      ticket = task->ticket = completion.issue_checked();
    }
    run(std::move(task));
    return ticket;
  }

  // No more will come: the thread ends after the last task.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_one();
  }

 private:
  // With the lock held. All that can throw comes before the ticket.
  nxs_ticket push(TaskPtr task) {
    if (!started_) std::thread([self = shared_from_this()] { self->serve(); }).detach();
    started_ = true;
    Task &pushed = *tasks_.emplace_back(std::move(task));
    changed_.notify_one();
    return pushed.ticket = completion.issue_checked();
  }

  void serve() noexcept {
    while (TaskPtr task = next()) run(std::move(task));
  }

  // The next task, which is running from now on; NULL at the end.
  TaskPtr next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !running_ && (closing_ || !tasks_.empty()); });
    if (tasks_.empty()) return nullptr;
    TaskPtr task = std::move(tasks_.front());
    tasks_.pop_front();
    running_ = true;
    return task;
  }

  void run(TaskPtr task) noexcept {
    const nxs_ticket ticket = task->ticket;
    try {
      task->run(completion.cause());
    } catch (...) {
      completion.fail(current_failure());
    }
    task.reset();  // what it kept alive goes before anybody hears that it is done
    const std::lock_guard lock(mutex_);
    if (completion.failure() == nullptr) completion.complete(ticket);
    running_ = false;
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TaskPtr> tasks_;
  bool running_ = false;  // one task at a time, on whichever thread
  bool started_ = false;  // the thread
  bool closing_ = false;
};

}  // namespace detail

// Any thread may submit, query and wait. What was submitted still runs after the
// queue's end. The thread is detached: nothing is joined at exit.
class WorkQueue {
 public:
  WorkQueue() : state_(std::make_shared<detail::WorkQueueState>()) {}
  ~WorkQueue() { state_->close(); }
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;

  // Submits work, called as work() once all earlier work is done, and not at all
  // where some failed; or as work(const FailurePtr &), which is always called.
  // What it throws is the queue's failure. Throws the cause of an earlier failure.
  template <class Work>
  nxs_ticket submit(Work &&work, RunOn where = RunOn::kThread) {
    return state_->submit(std::make_unique<TaskOf<std::decay_t<Work>>>(std::forward<Work>(work)),
                          where);
  }

  const Completion &completion() const noexcept { return state_->completion; }

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

  std::shared_ptr<detail::WorkQueueState> state_;
};

}  // namespace nexus_plugin NXS_HIDDEN

#endif  // NEXUS_PLUGIN_WORK_QUEUE_HPP_
