// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_SCHEDULE_HPP_
#define NEXUS_OPENCL_SCHEDULE_HPP_

#include "command.hpp"
#include "command_buffer.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// Commands in their order. A run is enqueued under the lock, so that the order of the runs is the
// order in which they wait for each other.
class Schedule {
 public:
  // device outlives this.
  explicit Schedule(const Device &device) : device_(&device) {}
  Schedule(const Schedule &) = delete;
  Schedule &operator=(const Schedule &) = delete;

  const Device &device() const noexcept { return *device_; }
  // Guards the schedule and its commands.
  std::mutex &mutex() const noexcept { return mutex_; }

  // As nxsRunSchedule and nxsPrepareSchedule.
  nxs_ticket run(const nexus_plugin::Ref<Stream> &stream);
  // The same for a caller that is about to wait: what is short may be done when it returns.
  nxs_ticket run_blocking(const nexus_plugin::Ref<Stream> &stream);
  void prepare(const nexus_plugin::Ref<Stream> &stream);

  // Appends a command. Throws Error(NXS_InvalidOperation) where a run is in flight.
  nxs_id add(nxs_id own_id, Command::Body body);
  // Whether other is this schedule or is run by it.
  bool contains(const Schedule &other) const;
  // Invalidates the ids of its commands.
  void release_commands() noexcept;
  std::size_t size() const;
  // "Running", "Complete", "Error", or NULL before the first run.
  const char *status() const;

  // ---- With the lock held ----

  // Takes out a command that was never finalized.
  void remove(const Command &command);
  // A command changed: what was made ready of it holds no more.
  void changed() noexcept;
  // Throws Error(NXS_InvalidOperation) where a run is in flight.
  void refuse_in_flight(const char *what) const;

 private:
  class Flattened;

  bool is_short();
  nxs_ticket run_with_others(const nexus_plugin::Ref<Stream> &stream);
  void make_ready();
  void record(const nexus_plugin::Ref<Stream> &stream);
  void append_steps(std::vector<const Command *> &steps, Flattened *others) const;
  // An event of the last run where it is in another stream and not done; else empty.
  Owned<cl_event> last_run_elsewhere(const Stream &stream) const;
  void note_run(const nexus_plugin::Ref<Stream> &stream, nxs_ticket ticket);

  const Device *device_;
  mutable std::mutex mutex_;
  std::vector<nexus_plugin::Ref<Command>> commands_;
  std::atomic<bool> runs_others_{false};
  nexus_plugin::Ref<Stream> last_stream_;  // of the newest run; empty before the first
  nxs_ticket last_ticket_ = 0;
  // Since the last change, for runs that run no others:
  bool ready_ = false;
  std::vector<const Command *> steps_;
  uint64_t runs_ = 0;
  CommandBuffer recorded_;
  Owned<cl_event> measured_;  // of the newest blocking run; empty where its time was read
  uint64_t took_ns_ = UINT64_MAX;
};

extern constinit nexus_plugin::HandleTable<Schedule, NXS_ObjectType_Schedule> schedules;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_SCHEDULE_HPP_
