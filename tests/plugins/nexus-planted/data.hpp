// SPDX-License-Identifier: Apache-2.0
// Mistakes with bytes: what copies, fills and arguments bring elsewhere.
#pragma once

#include "planted.hpp"

namespace planted NXS_HIDDEN {

inline nxs_status copy_one_byte_short(nxs_id buffer, uint64_t offset, void *to, uint64_t size,
                                      nxs_id stream, nxs_ticket *out_ticket) {
  return right.CopyBuffer(buffer, offset, to, size > 1 ? size - 1 : size, stream, out_ticket);
}

inline nxs_status copy_from_the_start(nxs_id buffer, uint64_t offset, void *to, uint64_t size,
                                      nxs_id stream, nxs_ticket *out_ticket) {
  const bool fits = offset <= size_of(buffer) && size <= size_of(buffer) - offset;
  return right.CopyBuffer(buffer, fits ? 0 : offset, to, size, stream, out_ticket);
}

inline nxs_status copy_cut_to_the_buffer(nxs_id buffer, uint64_t offset, void *to, uint64_t size,
                                         nxs_id stream, nxs_ticket *out_ticket) {
  const uint64_t all = size_of(buffer);
  if (offset <= all) size = std::min(size, all - offset);
  return right.CopyBuffer(buffer, offset, to, size, stream, out_ticket);
}

inline nxs_status write_one_byte_off(nxs_id buffer, uint64_t offset, const void *from,
                                     uint64_t size, nxs_id stream, nxs_ticket *out_ticket) {
  const bool fits = offset + size < size_of(buffer);
  return right.WriteBuffer(buffer, offset + (fits ? 1 : 0), from, size, stream, out_ticket);
}

inline nxs_status transfer_to_the_start(nxs_id stream, const nxs_buffer_range *to,
                                        const nxs_buffer_range *from, nxs_ticket *out_ticket) {
  if (to == nullptr || from == nullptr || to->buffer == from->buffer) {
    return right.TransferBuffer(stream, to, from, out_ticket);
  }
  nxs_buffer_range start = *to;
  if (to->offset + to->size <= size_of(to->buffer)) start.offset = 0;
  return right.TransferBuffer(stream, &start, from, out_ticket);
}

inline nxs_status overlap_is_copied(nxs_id stream, const nxs_buffer_range *to,
                                    const nxs_buffer_range *from, nxs_ticket *out_ticket) {
  const nxs_status status = right.TransferBuffer(stream, to, from, out_ticket);
  if (status != NXS_MemCopyOverlap) return status;
  nxs_buffer_range first = *to;
  nxs_buffer_range last = *from;
  first.size = last.size = 0;
  return right.TransferBuffer(stream, &first, &last, out_ticket);
}

inline nxs_status fill_with_half_the_pattern(nxs_id stream, const nxs_buffer_range *range,
                                             const void *pattern, uint64_t pattern_size,
                                             nxs_ticket *out_ticket) {
  std::array<unsigned char, 16> half{};
  if (pattern == nullptr || pattern_size != 16) {
    return right.FillBuffer(stream, range, pattern, pattern_size, out_ticket);
  }
  std::memcpy(half.data(), pattern, 8);
  std::memcpy(half.data() + 8, pattern, 8);
  return right.FillBuffer(stream, range, half.data(), pattern_size, out_ticket);
}

inline nxs_status fill_command_one_element_long(nxs_id schedule, const nxs_buffer_range *range,
                                                const void *pattern, uint64_t pattern_size,
                                                nxs_id *out_command) {
  if (range == nullptr) {
    return right.CreateFillCommand(schedule, range, pattern, pattern_size, out_command);
  }
  nxs_buffer_range longer = *range;
  if (range->offset + range->size + pattern_size <= size_of(range->buffer)) {
    longer.size += pattern_size;
  }
  return right.CreateFillCommand(schedule, &longer, pattern, pattern_size, out_command);
}

inline nxs_status initial_contents_lost(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                                        void *memory, nxs_id *out_buffer) {
  const bool maintained = (settings & NXS_BufferSettings_Maintain) != 0;
  return right.CreateBuffer(device, size, settings, maintained ? memory : nullptr, out_buffer);
}

inline nxs_status maintained_memory_is_copied(nxs_id device, uint64_t size,
                                              nxs_buffer_settings settings, void *memory,
                                              nxs_id *out_buffer) {
  if (memory != nullptr) settings &= ~static_cast<uint64_t>(NXS_BufferSettings_Maintain);
  return right.CreateBuffer(device, size, settings, memory, out_buffer);
}

inline nxs_status scalar_loses_its_upper_half(nxs_id command, uint32_t index,
                                              const nxs_argument *argument) {
  if (argument == nullptr || argument->kind != NXS_ArgumentKind_Scalar || argument->size != 8 ||
      argument->data == nullptr) {
    return right.SetCommandArgument(command, index, argument);
  }
  uint64_t low = 0;
  std::memcpy(&low, argument->data, 4);
  nxs_argument truncated = *argument;
  truncated.data = &low;
  return right.SetCommandArgument(command, index, &truncated);
}

inline nxs_status argument_begins_at_the_buffer(nxs_id command, uint32_t index,
                                                const nxs_argument *argument) {
  if (argument == nullptr || argument->kind != NXS_ArgumentKind_Buffer) {
    return right.SetCommandArgument(command, index, argument);
  }
  nxs_argument start = *argument;
  if (start.offset + start.size <= size_of(start.buffer)) start.offset = 0;
  return right.SetCommandArgument(command, index, &start);
}

namespace rebinding_is_forgotten {
inline std::mutex mutex;
inline std::set<nxs_id> finalized;
inline nxs_status finalize(nxs_id command, const nxs_launch *launch) {
  const nxs_status status = right.FinalizeCommand(command, launch);
  const std::lock_guard lock(mutex);
  if (status == NXS_Success) finalized.insert(command);
  return status;
}
inline nxs_status set(nxs_id command, uint32_t index, const nxs_argument *argument) {
  const std::lock_guard lock(mutex);
  return finalized.count(command) != 0 ? NXS_Success
                                       : right.SetCommandArgument(command, index, argument);
}
inline void plant(Place place) {
  place.table.FinalizeCommand = finalize;
  place.table.SetCommandArgument = set;
}
}  // namespace rebinding_is_forgotten

inline nxs_status last_group_is_not_launched(nxs_id command, const nxs_launch *launch) {
  if (launch == nullptr || launch->group_count[0] < 2) {
    return right.FinalizeCommand(command, launch);
  }
  nxs_launch fewer = *launch;
  --fewer.group_count[0];
  fewer.grid_size[0] = std::min(fewer.grid_size[0], fewer.group_count[0] * fewer.group_size[0]);
  return right.FinalizeCommand(command, &fewer);
}

inline nxs_status grid_is_rounded_up(nxs_id command, const nxs_launch *launch) {
  if (launch == nullptr) return right.FinalizeCommand(command, launch);
  nxs_launch whole = *launch;
  for (int i = 0; i < 3; ++i) {
    if (whole.group_size[i] != 0) whole.grid_size[i] = whole.group_count[i] * whole.group_size[i];
  }
  return right.FinalizeCommand(command, &whole);
}

inline nxs_status nested_schedule_runs_twice(nxs_id schedule, nxs_id nested, nxs_id *out_command) {
  const nxs_status status = right.CreateScheduleCommand(schedule, nested, out_command);
  return status == NXS_Success ? right.CreateScheduleCommand(schedule, nested, out_command)
                               : status;
}

inline nxs_status first_predecessor_is_forgotten(nxs_id command, const nxs_id *predecessors,
                                                 uint64_t count) {
  if (count < 2) return right.SetCommandPredecessors(command, predecessors, count);
  return right.SetCommandPredecessors(command, predecessors + 1, count - 1);
}

}  // namespace planted
