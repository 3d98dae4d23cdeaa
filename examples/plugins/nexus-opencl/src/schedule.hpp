// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_SCHEDULE_HPP_
#define NEXUS_OPENCL_SCHEDULE_HPP_

#include "command_buffer.hpp"
#include "recording.hpp"

#include <cstdint>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// Enqueues runs: command by command, and what is run again as a command buffer.
class Schedule : public nexus_plugin::QueuedSchedule<Recording> {
 public:
  using QueuedSchedule::QueuedSchedule;

  // As nxsRunSchedule and nxsPrepareSchedule.
  static nxs_ticket run(const nexus_plugin::Ref<Schedule> &schedule, nxs_id stream,
                        nxs_execution_settings settings);
  void prepare(nxs_id stream);

 private:
  using RunLock = nexus_plugin::RunLock<Recording>;

  nxs_ticket run(const nexus_plugin::Ref<Stream> &stream);
  // The same for a caller that is about to wait: what is short may be done when it returns.
  nxs_ticket run_blocking(const nexus_plugin::Ref<Stream> &stream);

  bool is_short();
  void make_ready(const RunLock &lock);

  uint64_t ready_shape_ = 0, ready_bindings_ = 0;  // what the rest is made of; 0: nothing
  std::vector<const Command *> steps_;
  uint64_t runs_ = 0;
  CommandBuffer recorded_;
  Owned<cl_event> measured_;  // of the newest blocking run; empty where its time was read
  uint64_t took_ns_ = UINT64_MAX;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_SCHEDULE_HPP_
