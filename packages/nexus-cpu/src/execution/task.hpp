// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_TASK_HPP_
#define NEXUS_CPU_TASK_HPP_

#include "execution/branches.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nexus-plugin/base/slot.hpp>
#include <nexus-plugin/stream/event.hpp>
#include <variant>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

class Schedule;

// The steps of a run of a schedule, with those of nested schedules and bodies inlined: in an order
// that is always correct. Immutable, so many runs share it. The schedule keeps everything that it
// points to alive.
struct Plan {
  std::vector<Step> steps;
  std::size_t loops = 0;
  std::vector<const Schedule *> of;  // the schedule and its nested ones
  uint64_t version = 0;              // the sum of their versions when the plan was made

  bool is_current() const noexcept;
};

using PlanPtr = std::shared_ptr<const Plan>;

// A run of a schedule and its progress. Keeps the schedule alive, which counts its runs in flight.
// Defined in schedule.cpp, so that stream.cpp does not include schedule.hpp.
struct RunTask {
  // Throws Error(NXS_InvalidCommand) if a command is not finalized.
  RunTask(nexus_plugin::Ref<Schedule> of, bool is_timed);
  RunTask(RunTask &&) noexcept;
  RunTask &operator=(RunTask &&) noexcept;
  ~RunTask();  // fails a run that was never submitted

  // Called once, with 0 for a run without timing, before the stream reports the run's end.
  void end(bool failed, uint64_t elapsed_ns) noexcept;

  nexus_plugin::Ref<Schedule> schedule;  // empty after end()
  PlanPtr plan;
  std::size_t next_step = 0;
  std::vector<uint64_t> turns;         // that each loop has made
  const Branches *branches = nullptr;  // those that were started last
  bool timed;
  uint64_t start_ns = 0;
};

struct SignalTask {
  nexus_plugin::SignalPtr signal;
};

struct WaitTask {
  nexus_plugin::SignalPtr signal;
  bool asked = false;  // whether the signal will advance the stream
};

// A call of a host function, which may take any time.
class Callback final : public Work {
 public:
  using Function = void (*)(void *context, nxs_status status);
  Callback(Function function, void *context)
      : Work(1, 1, false), function_(function), context_(context) {}

  void call(nxs_status status) const noexcept { function_(context_, status); }

  void run(uint64_t, uint64_t, unsigned) noexcept override { call(NXS_Success); }
  uint64_t expected_ns() const noexcept override { return UINT64_MAX; }

 private:
  Function function_;
  void *context_;
};

// One submission to a stream. monostate: only a ticket.
using TaskBody = std::variant<std::monostate, RunTask, Transfer, SignalTask, WaitTask, Callback>;

struct Task {
  TaskBody body;
  nxs_ticket ticket = 0;
  Task *next = nullptr;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_TASK_HPP_
