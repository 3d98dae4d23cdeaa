// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_SCHEDULE_HPP_
#define NEXUS_CPU_SCHEDULE_HPP_

#include "command.hpp"
#include "plan.hpp"
#include "turn.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <utility>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Commands in their order, and the plan that runs of them share.
class Schedule {
 public:
  // The plan for a run with the arguments as they are now; made anew only after a
  // change. Throws Error(NXS_InvalidCommand) where a command is not finalized.
  PlanPtr plan();

  // Appends a command. Throws Error(NXS_InvalidOperation) where a run is in flight.
  nxs_id add(nxs_id own_id, CommandBody body);

  // Takes out a command that was never finalized, and so is in no plan.
  void remove(const Command &command);

  // A command of this schedule changed: the next run needs a new plan.
  void changed() noexcept;

  // Throws Error(NXS_InvalidOperation) where a run is in flight.
  void refuse_in_flight(const char *what) const;

  // Whether other is this schedule or is run by it.
  bool contains(const Schedule &other) const;

  // Invalidates the ids of its commands.
  void release_commands() noexcept;

  std::size_t size() const;

  void run_submitted() noexcept { in_flight_.fetch_add(1, std::memory_order_relaxed); }
  // elapsed_ns: of a timed run, else 0.
  void run_ended(bool failed, uint64_t elapsed_ns) noexcept;

  // "Running", "Complete", "Error", or NULL before the first run.
  const char *status() const noexcept;
  // Of the last timed run; 0 where there was none.
  uint64_t elapsed_ns() const noexcept { return elapsed_ns_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    nxs_id id;
    nexus_plugin::Ref<Command> command;
  };

  std::vector<Entry> entries() const;
  void append_steps(Plan &plan);
  static bool is_current(const Plan &plan) noexcept;

  mutable std::mutex mutex_;
  std::vector<Entry> commands_;
  PlanPtr plan_;
  std::atomic<uint64_t> version_{0};
  std::atomic<uint64_t> in_flight_{0};
  std::atomic<uint64_t> elapsed_ns_{0};
  std::atomic<int> last_result_{0};  // 0 none, 1 complete, 2 failed
  Turn turn_;
};

extern constinit nexus_plugin::HandleTable<Schedule, NXS_ObjectType_Schedule> schedules;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SCHEDULE_HPP_
