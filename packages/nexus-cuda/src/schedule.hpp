// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_SCHEDULE_HPP_
#define NEXUS_CUDA_SCHEDULE_HPP_

#include "command.hpp"
#include "graph.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/handle_table.hpp>
#include <utility>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Commands in their order. A run is enqueued under the lock, so that the order of the runs is the
// order in which they wait for each other. One command is enqueued. Several are at their first run,
// and become a graph while the device is busy with it; where the commands have changed since a run,
// they may do so again, and become one at their second run.
class Schedule {
 public:
  // device outlives this.
  explicit Schedule(Device &device) : device_(&device) {}
  Schedule(const Schedule &) = delete;
  Schedule &operator=(const Schedule &) = delete;

  Device &device() const noexcept { return *device_; }
  // Guards the schedule and its commands.
  std::mutex &mutex() const noexcept { return mutex_; }

  // As nxsRunSchedule and nxsPrepareSchedule.
  nxs_ticket run(nxs_id stream_id);
  void prepare(Stream &stream);

  // Appends a command. Throws Error(NXS_InvalidOperation) where a run is in flight.
  nxs_id add(nxs_id own_id, Command::Body body);
  // Whether other is this schedule or is run by it.
  bool contains(const Schedule &other) const;
  // Invalidates the ids of its commands.
  void release_commands() noexcept;
  std::size_t size() const;
  // "Running", "Complete", "Error", or NULL before the first run.
  const char *status() const;
  // The driver's executable graph; 0 where there is none, or not yet.
  uintptr_t native_graph() const;

  // ---- With the lock held ----

  // Takes out a command that was never finalized.
  void remove(const Command &command);
  // The commands or their sizes changed: what was made ready of them holds no more.
  void changed() noexcept;
  // Arguments of a command changed.
  void rebound(const KernelCommand &command) noexcept {
    ++bindings_;
    if (used_in_ != nullptr) command.used_in(*used_in_);
  }
  // Throws Error(NXS_InvalidOperation) where a run is in flight.
  void refuse_in_flight(const char *what) const;

 private:
  // All that a run runs: the schedule, and those that it runs, each locked.
  class Together;
  // How a schedule was when something was made of it.
  using Shape = std::vector<std::pair<const Schedule *, uint64_t>>;

  void append_steps(std::vector<const Command *> &steps, Together *others) const;
  void make_ready();
  void count_steps() noexcept;
  nexus_plugin::Ref<Stream> pin_stream(nxs_id id) const;
  nxs_ticket run_with_others(const nexus_plugin::Ref<Stream> &stream);
  template <class Note>
  nxs_ticket submit_noted(const nexus_plugin::Ref<Stream> &stream, std::vector<EventPtr> before,
                          uint64_t bindings, const Note &note);
  nxs_ticket submit(const nexus_plugin::Ref<Stream> &stream, std::vector<EventPtr> before,
                    uint64_t bindings);
  bool only_launches(uint64_t bindings) const noexcept;
  void enqueue(Enqueuing &work, const Lane &lane);
  bool wants_graph() const noexcept { return driver_steps_ > 1 && !graph_refused_; }
  void make_graph(uint64_t bindings);
  void make_graph_behind_run(uint64_t bindings) noexcept;
  void update_graph(uint64_t bindings);
  EventPtr last_run_elsewhere(const Stream &stream);
  void note_run(const nexus_plugin::Ref<Stream> &stream, nxs_ticket ticket);

  Device *device_;
  mutable std::mutex mutex_;
  std::vector<nexus_plugin::Ref<Command>> commands_;
  std::atomic<bool> runs_others_{false};
  uint64_t shape_ = 0;     // grows with each change of the commands
  uint64_t bindings_ = 0;  // grows with each change of an argument

  nexus_plugin::Ref<Stream> last_stream_;  // of the newest run; empty before the first
  nxs_ticket last_ticket_ = 0;
  // The newest run is in another stream than the one before. Then it gets a mark, since the next
  // may be in a third; where there is none, a run elsewhere waits for all that its stream has.
  bool moves_ = false;
  bool graph_follows_ = true;  // the first run: false once commands changed behind a run

  // Since the last change:
  bool ready_ = false;
  std::vector<const Command *> steps_;  // with those of schedules that it runs
  std::size_t driver_steps_ = 0;
  bool only_kernels_ = false;
  uint64_t runs_ = 0;
  Shape ready_shape_;              // of the schedules that it runs
  const Lane *used_in_ = nullptr;  // the lane that the buffers are known to be used in
  Graph graph_;
  uint64_t graph_bindings_ = 0;
  bool graph_refused_ = false;
};

extern constinit nexus_plugin::HandleTable<Schedule, NXS_ObjectType_Schedule> schedules;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SCHEDULE_HPP_
