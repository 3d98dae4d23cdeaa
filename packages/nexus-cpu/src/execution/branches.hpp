// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BRANCHES_HPP_
#define NEXUS_CPU_BRANCHES_HPP_

#include "execution/run_lock.hpp"
#include "execution/work_job.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <nexus-plugin/base/failure.hpp>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

class Branches;
struct Choice;

// A step of a run. At most one of the first five members is set; without one the run goes on at
// `next`.
struct Step {
  RunLock *acquire = nullptr;  // waits until no other run of the schedule is in progress
  RunLock *release = nullptr;
  std::shared_ptr<Work> work = nullptr;
  std::shared_ptr<Branches> branches = nullptr;  // does the steps between this one and `next`
  std::shared_ptr<const Choice> choice = nullptr;
  std::size_t next = 0;
};

// Branches in a run depending on an integer in memory.
struct Choice {
  const std::byte *value;
  nxs_command_type type;
  uint64_t max_count;               // of turns of a loop
  std::size_t loop;                 // the number of the loop in the plan
  std::vector<std::size_t> bodies;  // the steps with which they begin
  std::size_t end;                  // the step after all of them

  // turns: that the loop has made. Returns the step that comes next.
  std::size_t next(uint64_t turns) const noexcept;
};

// The steps of a run that has branches. Each is a job of the pool as soon as all that it follows
// are done. If one fails, no other is begun. One run at a time.
class Branches {
 public:
  // Receives the end of a run.
  struct Caller {
    void (*over)(Caller &caller, ThreadKind thread) noexcept = nullptr;
  };

  // Adds a step, with the numbers of the steps that it follows. Returns its number, from 0 on.
  std::size_t add(Step step, const std::vector<std::size_t> &after);

  // Returns whether other threads are worth waking.
  bool pay() const noexcept;

  // Starts a run. Returns whether it is over already; if not, the thread that ends it calls
  // caller.over().
  bool start(Caller &caller, ThreadKind thread) noexcept;
  // Returns the failure of the run that is over; NULL if it succeeded.
  const nexus_plugin::FailurePtr &failure() const noexcept { return failure_; }

 private:
  struct Node : RunLock::Waiter, WorkJob {
    Branches *branches = nullptr;
    Step step;
    std::vector<Node *> followers;
    std::size_t predecessors = 0;
    std::atomic<std::size_t> missing{0};  // predecessors that are not done in this run
    Node *next_ready = nullptr;
  };

  bool begin(Node &node, ThreadKind thread, bool is_last) noexcept;
  void finish_work(Node &node, uint64_t busy_ns) noexcept;
  void done(Node &node, ThreadKind thread) noexcept;
  bool proceed(Node *ready, ThreadKind thread) noexcept;
  Node *ready_after(Node &node, Node *ready) noexcept;

  std::deque<Node> nodes_;
  Caller *caller_ = nullptr;
  std::atomic<std::size_t> unfinished_{0};  // nodes, and one while start() is at work
  std::atomic<bool> failed_{false};
  nexus_plugin::FailurePtr failure_;  // written by the thread that set failed_
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BRANCHES_HPP_
