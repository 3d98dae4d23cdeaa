// SPDX-License-Identifier: Apache-2.0
//
// A command of a schedule.
#pragma once

#include <memory>
#include <vector>

#include "checks/launch.hpp"
#include "execution/argument.hpp"
#include "execution/kernel.hpp"
#include "object/object.hpp"
#include "stream/event.hpp"

namespace nexus::core {

class Schedule;

/// Belongs to its schedule, which counts the references to both, so that each keeps the
/// other alive. What changes is under the schedule's mutex.
class Command final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Command;

  Command(Schedule &schedule, nxs_command_type type, nxs_id id);
  ~Command() override = default;

  Schedule &schedule() const noexcept { return schedule_; }
  nxs_command_type commandType() const noexcept { return type_; }
  /// The kernel of a dispatch; else none. Throws where the command was discarded.
  Ref<Kernel> kernel() const;
  /// The event of a signal or a wait; else NULL.
  Event *event() const noexcept { return event_.get(); }

  void setArgument(uint32_t index, Argument argument);
  /// Of a signal or wait: the schedule's next run uses value, the one after it value + step.
  void setValue(uint64_t value, uint64_t step);
  void finalize(const nexus_launch_desc &desc);

  /// In words, for errors: "kernel 'scale'" or "copy".
  std::string describe() const;

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Schedule;

  /// Throws where another thread has discarded the command. Under the schedule's mutex.
  void requireKept() const;
  /// The same, also where the schedule was closed.
  void requireOpen() const;
  /// The kernel of a dispatch. Throws for other commands, and as requireOpen() does. Under the
  /// schedule's mutex.
  const Kernel &requireKernel(const char *doing) const;
  /// Gives the plug-in an argument. Under the schedule's mutex.
  void sendArgument(uint32_t index, const Argument &argument) const;

  Schedule &schedule_;
  const nxs_command_type type_;
  // 0 for what libnexus does itself: signals, waits, copies between devices or of nothing.
  const nxs_id id_;

  Ref<Kernel> kernel_;  // under the schedule's mutex, until the command is discarded

  // Set by the schedule while it makes the command, and not changed afterwards.
  Ref<Event> event_;
  Ref<Memory> source_;  // what copies and fills use
  Ref<Memory> destination_;
  nxs_buffer_range from_{};
  nxs_buffer_range to_{};

  // Under the schedule's mutex.
  uint64_t value_ = 0;      // of a signal or wait in run number first_run_
  uint64_t step_ = 0;       // how much more in each run after it
  uint64_t first_run_ = 1;  // the number of the schedule's run since which value_ counts
  std::vector<Argument> arguments_;
  bool finalized_ = false;
  Counts group_size_{};  // 0: the backend's choice, as is the group count then
  Counts grid_size_{};
  Counts group_count_{};
};

/// Throws NXS_InvalidValue where a signal or wait command can't have that value.
void checkEventValue(nxs_command_type type, const Event &event, uint64_t value);

}  // namespace nexus::core
