// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of work in a trace, and of a plug-in's objects, gathered from the calls that made
// them: names of kernels, commands of schedules, sizes of buffers.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/function_list.hpp"
#include "layers/calls_text.hpp"
#include "trace/event_text.hpp"

namespace nexus::core::trace {

/// The description of one submission. Runs of a schedule share one.
struct WorkText {
  std::string name;           // such as the kernel's
  std::string_view category;  // "kernel", "copy", "fill", "schedule", "wait", "mark"
  uint64_t copied = 0;        // bytes
  Details details;
  bool takes_time = true;  // false: a signal or a callback, shown at the time when it happened
};
using WorkTextPtr = std::shared_ptr<const WorkText>;

struct CommandText {
  std::string name;           // the kernel's, or "copy", "fill", "schedule"
  std::string_view category;  // as in WorkText
  std::string size;           // "grid 1024, groups of 64", or "4096 bytes"
  uint64_t copied = 0;        // bytes
};

/// Describes a run of these commands, in order. schedule: its id as in the layer `calls`.
WorkTextPtr runText(const std::string &schedule, const std::vector<const CommandText *> &commands);

/// Describes a copy, fill or mapping.
WorkTextPtr transferText(std::string_view name, std::string_view category, uint64_t bytes);

/// Describes a signal, a wait or a callback.
WorkTextPtr orderText(std::string_view name, std::string_view category, std::string_view event);

/// "1024 x 2".
std::string lengthsText(const uint64_t (&lengths)[3]);

/// Any thread may use it.
class ObjectTexts {
 public:
  struct Memory {
    nxs_id device = 0;
    uint64_t size = 0;  // bytes
  };

  // ---- Notes of successful calls; those of other functions are ignored.
  template <typename Function, typename... Arguments>
  void note(Function, Arguments...) noexcept {}
  void note(functions::GetDevice, nxs_id runtime, uint32_t index, nxs_id *out_device);
  void note(functions::GetKernel, nxs_id library, const nxs_string *name, nxs_id *out_kernel);
  void note(functions::ReleaseKernel, nxs_id kernel);
  void note(functions::CreateCommand, nxs_id schedule, nxs_id kernel, nxs_id *out_command);
  void note(functions::FinalizeCommand, nxs_id command, const nxs_launch *launch);
  void note(functions::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *destination,
            const nxs_buffer_range *source, nxs_id *out_command);
  void note(functions::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *range,
            const void *pattern, uint64_t pattern_size, nxs_id *out_command);
  void note(functions::CreateScheduleCommand, nxs_id schedule, nxs_id nested, nxs_id *out_command);
  void note(functions::CreateConditionCommand, nxs_id schedule, nxs_command_type type,
            const nxs_buffer_range *, const nxs_id *, uint64_t, uint64_t, nxs_id *out_command);
  void note(functions::EndCapture, nxs_id stream, nxs_id schedule, nxs_id *out_command);
  void note(functions::ReleaseCommand, nxs_id command);
  void note(functions::ReleaseSchedule, nxs_id schedule);

  /// Returns the index of a device of its plug-in.
  uint32_t deviceNumber(nxs_id device) const;

  /// Note a buffer that was made or released.
  void addBuffer(nxs_id buffer, Memory memory);
  Memory removeBuffer(nxs_id buffer);

  // ---- Descriptions of submissions, for the functions that submit.
  static WorkTextPtr describe(functions::CopyBuffer, nxs_id, uint64_t, void *, uint64_t size,
                              nxs_id, nxs_ticket *) {
    return transferText("copy to the host", "copy", size);
  }
  static WorkTextPtr describe(functions::WriteBuffer, nxs_id, uint64_t, const void *, uint64_t size,
                              nxs_id, nxs_ticket *) {
    return transferText("copy to the device", "copy", size);
  }
  static WorkTextPtr describe(functions::TransferBuffer, nxs_id, const nxs_buffer_range *,
                              const nxs_buffer_range *source, nxs_ticket *) {
    return transferText("copy on the device", "copy", source->size);
  }
  static WorkTextPtr describe(functions::CopyRows, nxs_id, const nxs_buffer_range *,
                              const nxs_buffer_range *, const nxs_rows *rows, nxs_ticket *) {
    return transferText("copy of rows", "copy", rows->bytes * rows->counts[0] * rows->counts[1]);
  }
  static WorkTextPtr describe(functions::FillBuffer, nxs_id, const nxs_buffer_range *range,
                              const void *, uint64_t, nxs_ticket *) {
    return transferText("fill", "fill", range->size);
  }
  static WorkTextPtr describe(functions::MapBuffer, nxs_id, const nxs_buffer_range *range,
                              nxs_map_access, void **, nxs_ticket *) {
    return transferText("map", "map", range->size);
  }
  static WorkTextPtr describe(functions::UnmapBuffer, nxs_id, nxs_id, void *, nxs_ticket *) {
    return orderText("unmap", "map", "");
  }
  static WorkTextPtr describe(functions::EnqueueHostCallback, nxs_id,
                              void (*)(void *context, nxs_status status), void *, nxs_ticket *) {
    return orderText("callback", "mark", "");
  }
  static WorkTextPtr describe(functions::SignalEvent, nxs_id event, nxs_id, nxs_ticket *) {
    return orderText("signal", "mark", layers::idText(event));
  }
  static WorkTextPtr describe(functions::WaitEvent, nxs_id event, nxs_id, nxs_ticket *) {
    return orderText("wait for an event", "wait", layers::idText(event));
  }
  WorkTextPtr describe(functions::RunSchedule, nxs_id schedule, nxs_id stream,
                       nxs_execution_settings settings, nxs_ticket *);

 private:
  struct Command {
    nxs_id schedule = 0;
    CommandText text;
    bool final = false;
    nxs_id nested = 0;  // the schedule that it runs
  };
  struct Schedule {
    std::vector<nxs_id> commands;  // in order
    WorkTextPtr text;              // describes a run; NULL after a change
    bool nests = false;
  };

  void addCommand(nxs_id schedule, nxs_id command, CommandText text, bool final);
  /// Appends the commands of a schedule and, in their places, of those nested in it. Under mutex_.
  void addCommands(const Schedule &schedule, std::vector<const CommandText *> &texts) const;

  mutable std::mutex mutex_;
  std::unordered_map<nxs_id, uint32_t> devices_;  // under mutex_, as all below
  std::unordered_map<nxs_id, std::string> kernels_;
  std::unordered_map<nxs_id, Command> commands_;
  std::unordered_map<nxs_id, Schedule> schedules_;
  std::unordered_map<nxs_id, Memory> buffers_;
};

}  // namespace nexus::core::trace
