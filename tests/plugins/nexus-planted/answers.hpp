// SPDX-License-Identifier: Apache-2.0
// Mistakes with ids, statuses, properties and what the plug-in says of itself.
#pragma once

#include "planted.hpp"

namespace planted NXS_HIDDEN {

namespace released_buffer_lives_on {
inline std::mutex mutex;
inline std::set<nxs_id> released;
inline nxs_status release(nxs_id buffer) {
  const std::lock_guard lock(mutex);
  if (size_of(buffer) == 0) return right.ReleaseBuffer(buffer);
  return released.insert(buffer).second ? NXS_Success : NXS_InvalidBuffer;
}
inline void plant(Place place) {
  place.table.ReleaseBuffer = release;
}
}  // namespace released_buffer_lives_on

inline nxs_status second_release_is_fine(nxs_id event) {
  const nxs_status status = right.ReleaseEvent(event);
  return NXS_ID_TYPE(event) == NXS_ObjectType_Event && event > 0 ? NXS_Success : status;
}

inline nxs_status buffers_leave_memory(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                                       void *memory, nxs_id *out_buffer) {
  const nxs_status status = right.CreateBuffer(device, size, settings, memory, out_buffer);
  constexpr uint64_t kMost = 65536;
  if (status == NXS_Success) new Bytes(std::min(size, kMost), 1);
  return status;
}

inline nxs_status streams_leave_memory(nxs_id stream) {
  const nxs_status status = right.ReleaseStream(stream);
  if (status == NXS_Success) new Bytes(32768, 1);
  return status;
}

inline nxs_status unknown_kernel_is_an_invalid_value(nxs_id library, const nxs_string *name,
                                                     nxs_id *out_kernel) {
  const nxs_status status = right.GetKernel(library, name, out_kernel);
  return status == NXS_InvalidKernelName ? NXS_InvalidValue : status;
}

inline nxs_status errors_have_no_text(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                                      void *memory, nxs_id *out_buffer) {
  const nxs_status status = right.CreateBuffer(device, size, settings, memory, out_buffer);
  const nxs_string nothing{"", 0};
  if (status != NXS_Success) host->make_error(host->tag, 0, &nothing);
  return status;
}

inline nxs_status result_is_written_on_failure(nxs_id device, int32_t priority,
                                               nxs_id *out_stream) {
  const nxs_status status = right.CreateStream(device, priority, out_stream);
  if (status != NXS_Success && out_stream != nullptr) *out_stream = 0;
  return status;
}

inline nxs_status size_is_rounded_up(nxs_id buffer, nxs_property property, nxs_value *out_value) {
  const nxs_status status = right.GetBufferProperty(buffer, property, out_value);
  if (status == NXS_Success && property == NP_Size && out_value->capacity >= 8) {
    int64_t size = 0;
    std::memcpy(&size, out_value->data, sizeof(size));
    size = (size + 63) / 64 * 64;
    std::memcpy(out_value->data, &size, sizeof(size));
  }
  return status;
}

inline nxs_status a_key_without_a_value(nxs_id device, nxs_property property,
                                        nxs_value *out_value) {
  if (property == NP_Architecture) return right.GetDeviceProperty(device, NP_FanSpeed, out_value);
  return right.GetDeviceProperty(device, property, out_value);
}

namespace managed_memory_is_only_claimed {
inline nxs_status create(nxs_id device, uint64_t size, nxs_buffer_settings settings, void *memory,
                         nxs_id *out_buffer) {
  constexpr nxs_buffer_settings kBoth = NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;
  return (settings & kBoth) == kBoth
             ? NXS_NotSupported
             : right.CreateBuffer(device, size, settings, memory, out_buffer);
}
inline void plant(Place place) {
  place.plugin.capabilities |= NXS_Capability_ManagedMemory;
  place.table.CreateBuffer = create;
}
}  // namespace managed_memory_is_only_claimed

namespace timing_is_not_claimed {
inline void plant(Place place) {
  place.plugin.capabilities &= ~static_cast<uint64_t>(NXS_Capability_Timing);
}
}  // namespace timing_is_not_claimed

inline nxs_status a_buffer_of_no_bytes(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                                       void *memory, nxs_id *out_buffer) {
  return right.CreateBuffer(device, std::max<uint64_t>(size, 1), settings, memory, out_buffer);
}

inline nxs_status any_priority_will_do(nxs_id device, int32_t, nxs_id *out_stream) {
  return right.CreateStream(device, 0, out_stream);
}

inline nxs_status every_index_is_device_0(nxs_id runtime, uint32_t, nxs_id *out_device) {
  return right.GetDevice(runtime, 0, out_device);
}

namespace unfinished_command_stays {
inline std::mutex mutex;
inline std::set<nxs_id> finalized;
inline nxs_status finalize(nxs_id command, const nxs_launch *launch) {
  const nxs_status status = right.FinalizeCommand(command, launch);
  const std::lock_guard lock(mutex);
  if (status == NXS_Success) finalized.insert(command);
  return status;
}
inline nxs_status create(nxs_id schedule, nxs_id kernel, nxs_id *out_command) {
  return right.CreateCommand(schedule, kernel, out_command);
}
inline nxs_status release(nxs_id command) {
  int64_t id = 0;
  nxs_value value{sizeof(nxs_value), NXS_ValueType_None, 0, &id, sizeof(id), 0};
  const std::lock_guard lock(mutex);
  const bool known = right.GetCommandProperty(command, NP_Keys, &value) == NXS_Success;
  return known && finalized.count(command) == 0 ? NXS_Success : right.ReleaseCommand(command);
}
inline void plant(Place place) {
  place.table.FinalizeCommand = finalize;
  place.table.CreateCommand = create;
  place.table.ReleaseCommand = release;
}
}  // namespace unfinished_command_stays

inline nxs_status missing_argument_is_fine(nxs_id command, const nxs_launch *launch) {
  const nxs_status status = right.FinalizeCommand(command, launch);
  return status == NXS_InvalidKernelArgs ? NXS_Success : status;
}

}  // namespace planted
