// SPDX-License-Identifier: Apache-2.0
//
// What single functions are checked for beside their parameters' types, by overloads:
//   before   the call, whose parameters passed the checks that could end the process
//   after    it succeeded; notes what it changed
//   refused  it failed
// The templates are for the functions that have nothing more to check.
#pragma once

#include "host/function_list.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

template <typename Function, typename... Arguments>
void before(Call &, Function, Arguments...) {}
template <typename Function, typename... Arguments>
void after(Call &, Function, Arguments...) {}
template <typename Function, typename... Arguments>
void refused(Call &, Function, nxs_status, Arguments...) {}

namespace f = functions;

// ---- memory_checks.cpp ----
void before(Call &, f::CreateBuffer, nxs_id device, uint64_t size, nxs_buffer_settings settings,
            void *host_ptr, nxs_id *out_buffer);
void after(Call &, f::CreateBuffer, nxs_id device, uint64_t size, nxs_buffer_settings settings,
           void *host_ptr, nxs_id *out_buffer);
void after(Call &, f::CreateBufferFromHandle, nxs_id device, uint64_t handle, uint64_t offset,
           uint64_t size, nxs_id *out_buffer);
void after(Call &, f::ImportBuffer, nxs_id device, const void *handle, uint64_t size,
           nxs_id *out_buffer);
void after(Call &, f::ReleaseBuffer, nxs_id buffer);
void refused(Call &, f::ReleaseBuffer, nxs_status status, nxs_id buffer);
void before(Call &, f::CopyBuffer, nxs_id buffer, uint64_t offset, void *host_ptr, uint64_t size,
            nxs_id stream, nxs_ticket *out_ticket);
void after(Call &, f::CopyBuffer, nxs_id buffer, uint64_t offset, void *host_ptr, uint64_t size,
           nxs_id stream, nxs_ticket *out_ticket);
void before(Call &, f::WriteBuffer, nxs_id buffer, uint64_t offset, const void *host_ptr,
            uint64_t size, nxs_id stream, nxs_ticket *out_ticket);
void after(Call &, f::WriteBuffer, nxs_id buffer, uint64_t offset, const void *host_ptr,
           uint64_t size, nxs_id stream, nxs_ticket *out_ticket);
void before(Call &, f::TransferBuffer, nxs_id stream, const nxs_buffer_range *destination,
            const nxs_buffer_range *source, nxs_ticket *out_ticket);
void after(Call &, f::TransferBuffer, nxs_id stream, const nxs_buffer_range *destination,
           const nxs_buffer_range *source, nxs_ticket *out_ticket);
void before(Call &, f::FillBuffer, nxs_id stream, const nxs_buffer_range *range,
            const void *pattern, uint64_t pattern_size, nxs_ticket *out_ticket);
void after(Call &, f::FillBuffer, nxs_id stream, const nxs_buffer_range *range, const void *pattern,
           uint64_t pattern_size, nxs_ticket *out_ticket);
void before(Call &, f::MapBuffer, nxs_id stream, const nxs_buffer_range *range,
            nxs_map_access access, void **out_pointer, nxs_ticket *out_ticket);
void after(Call &, f::MapBuffer, nxs_id stream, const nxs_buffer_range *range,
           nxs_map_access access, void **out_pointer, nxs_ticket *out_ticket);
void before(Call &, f::UnmapBuffer, nxs_id stream, nxs_id buffer, void *pointer,
            nxs_ticket *out_ticket);
void after(Call &, f::UnmapBuffer, nxs_id stream, nxs_id buffer, void *pointer,
           nxs_ticket *out_ticket);

// ---- command_checks.cpp ----
void after(Call &, f::CreateSchedule, nxs_id device, nxs_id *out_schedule);
void after(Call &, f::ReleaseSchedule, nxs_id schedule);
void before(Call &, f::CreateCommand, nxs_id schedule, nxs_id kernel, nxs_id *out_command);
void after(Call &, f::CreateCommand, nxs_id schedule, nxs_id kernel, nxs_id *out_command);
void before(Call &, f::SetCommandArgument, nxs_id command, uint32_t index,
            const nxs_argument *argument);
void after(Call &, f::SetCommandArgument, nxs_id command, uint32_t index,
           const nxs_argument *argument);
void before(Call &, f::FinalizeCommand, nxs_id command, const nxs_launch *launch);
void after(Call &, f::FinalizeCommand, nxs_id command, const nxs_launch *launch);
void before(Call &, f::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *destination,
            const nxs_buffer_range *source, nxs_id *out_command);
void after(Call &, f::CreateCopyCommand, nxs_id schedule, const nxs_buffer_range *destination,
           const nxs_buffer_range *source, nxs_id *out_command);
void before(Call &, f::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *range,
            const void *pattern, uint64_t pattern_size, nxs_id *out_command);
void after(Call &, f::CreateFillCommand, nxs_id schedule, const nxs_buffer_range *range,
           const void *pattern, uint64_t pattern_size, nxs_id *out_command);
void before(Call &, f::CreateScheduleCommand, nxs_id schedule, nxs_id nested, nxs_id *out_command);
void after(Call &, f::CreateScheduleCommand, nxs_id schedule, nxs_id nested, nxs_id *out_command);
void after(Call &, f::ReleaseCommand, nxs_id command);
void before(Call &, f::RunSchedule, nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
            nxs_ticket *out_ticket);
void after(Call &, f::RunSchedule, nxs_id schedule, nxs_id stream, nxs_execution_settings settings,
           nxs_ticket *out_ticket);

// ---- order_checks.cpp ----
void after(Call &, f::CreateStream, nxs_id device, int32_t priority, nxs_id *out_stream);
void after(Call &, f::CreateStreamFromHandle, nxs_id device, uint64_t handle, nxs_id *out_stream);
void before(Call &, f::ReleaseStream, nxs_id stream);
void after(Call &, f::ReleaseStream, nxs_id stream);
void before(Call &, f::QueryStream, nxs_id stream, nxs_ticket ticket,
            nxs_completion *out_completion);
void after(Call &, f::QueryStream, nxs_id stream, nxs_ticket ticket,
           nxs_completion *out_completion);
void before(Call &, f::WaitStream, nxs_id stream, nxs_ticket ticket, uint64_t timeout,
            nxs_completion *out_completion);
void after(Call &, f::WaitStream, nxs_id stream, nxs_ticket ticket, uint64_t timeout,
           nxs_completion *out_completion);
void before(Call &, f::EnqueueHostCallback, nxs_id stream, void (*callback)(void *, nxs_status),
            void *context, nxs_ticket *out_ticket);
void after(Call &, f::EnqueueHostCallback, nxs_id stream, void (*callback)(void *, nxs_status),
           void *context, nxs_ticket *out_ticket);
void after(Call &, f::CreateEvent, nxs_id device, nxs_execution_settings settings,
           nxs_id *out_event);
void after(Call &, f::ImportEvent, nxs_id device, const void *handle, uint64_t size,
           nxs_id *out_event);
void after(Call &, f::ReleaseEvent, nxs_id event);
void before(Call &, f::SignalEvent, nxs_id event, nxs_id stream, nxs_ticket *out_ticket);
void after(Call &, f::SignalEvent, nxs_id event, nxs_id stream, nxs_ticket *out_ticket);
void before(Call &, f::WaitEvent, nxs_id event, nxs_id stream, nxs_ticket *out_ticket);
void after(Call &, f::WaitEvent, nxs_id event, nxs_id stream, nxs_ticket *out_ticket);
void before(Call &, f::QueryEvent, nxs_id event, nxs_completion *out_completion);
void after(Call &, f::QueryEvent, nxs_id event, nxs_completion *out_completion);
void before(Call &, f::SynchronizeEvent, nxs_id event, uint64_t timeout,
            nxs_completion *out_completion);
void after(Call &, f::SynchronizeEvent, nxs_id event, uint64_t timeout,
           nxs_completion *out_completion);
void before(Call &, f::GetElapsedTime, nxs_id start_event, nxs_id end_event,
            double *out_nanoseconds);
void after(Call &, f::GetElapsedTime, nxs_id start_event, nxs_id end_event,
           double *out_nanoseconds);

// ---- device_checks.cpp ----
void after(Call &, f::GetDevice, nxs_id runtime, uint32_t index, nxs_id *out_device);
void before(Call &, f::CreateLibrary, nxs_id device, const void *data, uint64_t size,
            nxs_id *out_library);
void after(Call &, f::CreateLibrary, nxs_id device, const void *data, uint64_t size,
           nxs_id *out_library);
void after(Call &, f::CreateLibraryFromFile, nxs_id device, const nxs_string *path,
           nxs_id *out_library);
void after(Call &, f::ReleaseLibrary, nxs_id library);
void after(Call &, f::GetKernel, nxs_id library, const nxs_string *name, nxs_id *out_kernel);
void after(Call &, f::ReleaseKernel, nxs_id kernel);

// ---- capability_checks.cpp ----
void refused(Call &, f::MapBuffer, nxs_status, nxs_id, const nxs_buffer_range *, nxs_map_access,
             void **, nxs_ticket *);
void refused(Call &, f::UnmapBuffer, nxs_status, nxs_id, nxs_id, void *, nxs_ticket *);
void refused(Call &, f::GetElapsedTime, nxs_status, nxs_id, nxs_id, double *);
void refused(Call &, f::CreateEvent, nxs_status, nxs_id, nxs_execution_settings settings, nxs_id *);
void refused(Call &, f::GetKernelArgument, nxs_status, nxs_id, uint32_t, nxs_argument_info *);
void refused(Call &, f::GetKernelOccupancy, nxs_status, nxs_id, const nxs_launch *,
             nxs_occupancy *);
void refused(Call &, f::EnqueueHostCallback, nxs_status, nxs_id, void (*)(void *, nxs_status),
             void *, nxs_ticket *);
void refused(Call &, f::CreateScheduleCommand, nxs_status, nxs_id, nxs_id, nxs_id *);
void refused(Call &, f::CreateLibrary, nxs_status, nxs_id, const void *, uint64_t, nxs_id *);
void refused(Call &, f::CreateStream, nxs_status, nxs_id, int32_t priority, nxs_id *);
void refused(Call &, f::CreateStreamFromHandle, nxs_status, nxs_id, uint64_t, nxs_id *);
void refused(Call &, f::CreateBufferFromHandle, nxs_status, nxs_id, uint64_t, uint64_t, uint64_t,
             nxs_id *);
void refused(Call &, f::ExportBuffer, nxs_status, nxs_id, const nxs_sink *);
void refused(Call &, f::ImportBuffer, nxs_status, nxs_id, const void *, uint64_t, nxs_id *);
void refused(Call &, f::ExportEvent, nxs_status, nxs_id, const nxs_sink *);
void refused(Call &, f::ImportEvent, nxs_status, nxs_id, const void *, uint64_t, nxs_id *);
void refused(Call &, f::CreateBuffer, nxs_status, nxs_id, uint64_t, nxs_buffer_settings settings,
             void *, nxs_id *);

// ---- property_checks.cpp ----
/// Reads a property of an object.
using Getter = nxs_status (*nxs_functions::*)(nxs_id, nxs_property, nxs_value *);
void afterProperty(Call &, Getter getter, nxs_id object, nxs_property property,
                   const nxs_value &value);
void refusedProperty(Call &, nxs_status status, nxs_id object, nxs_property property);

template <typename Function>
void after(Call &call, Function, nxs_id object, nxs_property property, nxs_value *out_value)
  requires std::is_same_v<std::remove_cv_t<decltype(Function::member)>, Getter>
{
  afterProperty(call, Function::member, object, property, *out_value);
}
template <typename Function>
void refused(Call &call, Function, nxs_status status, nxs_id object, nxs_property property,
             nxs_value *)
  requires std::is_same_v<std::remove_cv_t<decltype(Function::member)>, Getter>
{
  refusedProperty(call, status, object, property);
}

}  // namespace nexus::core::layers::validation
