// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of a plug-in's objects, gathered from the calls that made them: names of kernels,
// commands of schedules, sizes of buffers.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/function_list.hpp"
#include "trace/work_text.hpp"

namespace nexus::core::trace {

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
  void note(functions::ReleaseCommand, nxs_id command);
  void note(functions::ReleaseSchedule, nxs_id schedule);

  /// Returns the index of a device of its plug-in.
  uint32_t deviceNumber(nxs_id device) const;

  /// Note a buffer that was made or released.
  void addBuffer(nxs_id buffer, Memory memory);
  Memory removeBuffer(nxs_id buffer);

  // ---- Descriptions of submissions, for the functions that submit.
  WorkTextPtr describe(functions::CopyBuffer, nxs_id buffer, uint64_t offset, void *host,
                       uint64_t size, nxs_id stream, nxs_ticket *);
  WorkTextPtr describe(functions::WriteBuffer, nxs_id buffer, uint64_t offset, const void *host,
                       uint64_t size, nxs_id stream, nxs_ticket *);
  WorkTextPtr describe(functions::TransferBuffer, nxs_id stream,
                       const nxs_buffer_range *destination, const nxs_buffer_range *source,
                       nxs_ticket *);
  WorkTextPtr describe(functions::FillBuffer, nxs_id stream, const nxs_buffer_range *range,
                       const void *pattern, uint64_t pattern_size, nxs_ticket *);
  WorkTextPtr describe(functions::MapBuffer, nxs_id stream, const nxs_buffer_range *range,
                       nxs_map_access access, void **out_pointer, nxs_ticket *);
  WorkTextPtr describe(functions::UnmapBuffer, nxs_id stream, nxs_id buffer, void *pointer,
                       nxs_ticket *);
  WorkTextPtr describe(functions::EnqueueHostCallback, nxs_id stream,
                       void (*callback)(void *context, nxs_status status), void *context,
                       nxs_ticket *);
  WorkTextPtr describe(functions::SignalEvent, nxs_id event, nxs_id stream, nxs_ticket *);
  WorkTextPtr describe(functions::WaitEvent, nxs_id event, nxs_id stream, nxs_ticket *);
  WorkTextPtr describe(functions::RunSchedule, nxs_id schedule, nxs_id stream,
                       nxs_execution_settings settings, nxs_ticket *);

 private:
  struct Command {
    nxs_id schedule = 0;
    CommandText text;
    bool final = false;
  };
  struct Schedule {
    std::vector<nxs_id> commands;  // in order
    WorkTextPtr text;              // describes a run; NULL after a change
  };

  void addCommand(nxs_id schedule, nxs_id command, CommandText text, bool final);

  mutable std::mutex mutex_;
  std::unordered_map<nxs_id, uint32_t> devices_;  // under mutex_, as all below
  std::unordered_map<nxs_id, std::string> kernels_;
  std::unordered_map<nxs_id, Command> commands_;
  std::unordered_map<nxs_id, Schedule> schedules_;
  std::unordered_map<nxs_id, Memory> buffers_;
};

}  // namespace nexus::core::trace
