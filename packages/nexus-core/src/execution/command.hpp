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

/// A part of its schedule, which counts the references to both, so that each keeps the other alive.
/// The schedule's mutex guards all that changes.
class Command final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Command;

  Command(Schedule &schedule, nxs_command_type type, nxs_id id);
  ~Command() override = default;

  Schedule &schedule() const noexcept { return schedule_; }
  nxs_command_type commandType() const noexcept { return type_; }
  /// Returns the kernel of a dispatch; else none. Throws if the command was discarded.
  Ref<Kernel> kernel() const;
  /// Returns the event of a signal or a wait; else NULL.
  Event *event() const noexcept { return event_.get(); }

  void setArgument(uint32_t index, Argument argument);
  /// Makes a signal or wait use value in the schedule's next run, value + step in the one after it,
  /// and so on.
  void setValue(uint64_t value, uint64_t step);
  void finalize(const nexus_launch_desc &desc);

  /// Returns "kernel 'scale'" or "copy", for errors.
  std::string describe() const;

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  friend class Schedule;

  /// Throws if another thread has discarded the command. Under the schedule's mutex.
  void requireKept() const;
  /// Throws if the command was discarded or its schedule closed. Under the schedule's mutex.
  void requireOpen() const;
  /// Returns the kernel of a dispatch. Throws for other commands, and what requireOpen() throws.
  /// Under the schedule's mutex.
  const Kernel &requireKernel(const char *doing) const;
  /// Passes an argument to the plug-in. Under the schedule's mutex.
  void sendArgument(uint32_t index, const Argument &argument) const;

  Schedule &schedule_;
  const nxs_command_type type_;
  // The plug-in's id; 0 for commands that libnexus does itself: signals, waits, copies between
  // devices and empty copies.
  const nxs_id id_;

  Ref<Kernel> kernel_;  // under the schedule's mutex, until the command is discarded

  // Set by the schedule when it makes the command, constant afterwards.
  Ref<Event> event_;
  Ref<Memory> source_;  // of copies; fills have only a destination
  Ref<Memory> destination_;
  nxs_buffer_range from_{};
  nxs_buffer_range to_{};

  // Under the schedule's mutex.
  uint64_t value_ = 0;      // of a signal or wait, in run number first_run_
  uint64_t step_ = 0;       // added in each later run
  uint64_t first_run_ = 1;  // the run of the schedule that uses value_
  std::vector<Argument> arguments_;
  bool finalized_ = false;
  Counts group_size_{};  // 0: the backend chooses it and the group count
  Counts grid_size_{};
  Counts group_count_{};
};

/// Throws NXS_InvalidValue if a signal or wait command can't have that value.
void checkEventValue(nxs_command_type type, const Event &event, uint64_t value);

}  // namespace nexus::core
