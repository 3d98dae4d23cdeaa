// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_SCHEDULE_HPP_
#define NEXUS_CPU_SCHEDULE_HPP_

#include "execution/dispatch.hpp"
#include "execution/stream.hpp"
#include "objects/device.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <nexus-plugin/recording/recording.hpp>

namespace nexus_cpu NXS_HIDDEN {

class KernelCommand;
class Schedule;

// The types with which the kit's schedules and commands are instantiated.
struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             RecordedTransfer, Schedule> {};

using Command = nexus_plugin::Command<Recording>;

// A kernel launch, packed once for each set of arguments.
class KernelCommand : public nexus_plugin::RecordedKernel<Recording> {
 public:
  explicit KernelCommand(nexus_plugin::Ref<Kernel> kernel);

  void lower_argument(uint32_t, const nexus_plugin::Argument<Buffer> &) noexcept {
    dispatch_.reset();
  }
  nexus_plugin::Launch lower_launch(const nxs_launch &launch);

  // Returns the launch with the current arguments. The command must be finalized.
  const std::shared_ptr<Dispatch> &dispatch();

 private:
  std::shared_ptr<RunTime> run_time_ = std::make_shared<RunTime>();
  std::shared_ptr<Dispatch> dispatch_;  // empty after a change
};

// A schedule: makes the plan that its runs share, and serializes the runs.
class Schedule : public nexus_plugin::RecordedSchedule<Recording> {
 public:
  using RecordedSchedule::RecordedSchedule;

  // Implement nxsRunSchedule and nxsPrepareSchedule.
  static nxs_ticket run(nexus_plugin::Ref<Schedule> schedule, nxs_id stream,
                        nxs_execution_settings settings);
  void prepare(nxs_id stream);

  // Returns the plan for a run with the current arguments; made again only after a change. Throws
  // Error(NXS_InvalidCommand) if a command is not finalized.
  PlanPtr plan();

  bool in_flight() const noexcept { return in_flight_.load(std::memory_order_acquire) != 0; }
  const char *status() const noexcept;
  // The time of the last timed run; 0 if there was none.
  uint64_t elapsed_ns() const noexcept { return elapsed_ns_.load(std::memory_order_relaxed); }

 private:
  friend struct RunTask;
  using Lock = nexus_plugin::RunLock<Recording>;
  struct Planner;
  struct BranchPlanner;

  PlanPtr plan_;
  std::atomic<uint64_t> in_flight_{0};
  std::atomic<uint64_t> elapsed_ns_{0};
  std::atomic<int> last_result_{0};  // 0 none, 1 complete, 2 failed
  RunLock run_lock_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SCHEDULE_HPP_
