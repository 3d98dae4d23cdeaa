// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_TASK_HPP_
#define NEXUS_CPU_TASK_HPP_

#include "execution/plan.hpp"
#include "execution/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/event.hpp>
#include <nexus-plugin/slot.hpp>
#include <variant>

namespace nexus_cpu NXS_HIDDEN {

class Schedule;

// A run of a schedule and its progress.
struct RunTask {
  nexus_plugin::Ref<Schedule> schedule;
  PlanPtr plan;
  std::size_t next_step = 0;
  bool timed = false;
  uint64_t start_ns = 0;
};

struct SignalTask {
  nexus_plugin::SignalPtr signal;
};

struct WaitTask {
  nexus_plugin::SignalPtr signal;
  bool asked = false;  // whether the signal was told to move the stream on
};

// A call of a host function, which may take any time.
class Callback final : public Work {
 public:
  using Function = void (*)(void *context, nxs_status status);
  Callback(Function function, void *context) : function_(function), context_(context) {}

  void call(nxs_status status) const noexcept { function_(context_, status); }

  void run(uint64_t, uint64_t, unsigned) noexcept override { call(NXS_Success); }
  void finish(uint64_t) override {}
  uint64_t units() const noexcept override { return 1; }
  uint64_t grain() const noexcept override { return 1; }
  bool wants_time() const noexcept override { return false; }
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
