// SPDX-License-Identifier: Apache-2.0
// The reference plug-in as the backend `planted`, with the mistake that NEXUS_PLANTED names.
#include "planted.hpp"

#include <cstdlib>
#include <string_view>

#include "answers.hpp"
#include "completion.hpp"
#include "data.hpp"

namespace planted NXS_HIDDEN {
namespace {

constexpr char kName[] = "planted";

struct Mistake {
  std::string_view name;
  void (*plant)(Place place);
};

// A mistake that is in one function, and one of several, which its namespace has.
#define IN(function, name) {#name, [](Place place) { place.table.function = name; }}
#define MISTAKE(name) {#name, name::plant}
constexpr Mistake kMistakes[] = {
    IN(CopyBuffer, copy_one_byte_short),
    IN(CopyBuffer, copy_from_the_start),
    IN(CopyBuffer, copy_cut_to_the_buffer),
    IN(WriteBuffer, write_one_byte_off),
    IN(TransferBuffer, transfer_to_the_start),
    IN(TransferBuffer, overlap_is_copied),
    IN(FillBuffer, fill_with_half_the_pattern),
    IN(CreateFillCommand, fill_command_one_element_long),
    IN(CreateBuffer, initial_contents_lost),
    IN(CreateBuffer, maintained_memory_is_copied),
    IN(SetCommandArgument, scalar_loses_its_upper_half),
    IN(SetCommandArgument, argument_begins_at_the_buffer),
    MISTAKE(rebinding_is_forgotten),
    IN(FinalizeCommand, last_group_is_not_launched),
    IN(FinalizeCommand, grid_is_rounded_up),
    IN(WaitStream, wait_returns_early),
    IN(QueryStream, query_says_completed),
    IN(FillBuffer, tickets_repeat),
    IN(QueryStream, ticket_of_the_future_is_completed),
    IN(WaitEvent, stream_does_not_wait_for_the_event),
    MISTAKE(event_is_set_at_once),
    IN(GetElapsedTime, elapsed_time_runs_backwards),
    MISTAKE(callback_comes_twice),
    IN(EnqueueHostCallback, callback_does_not_wait),
    MISTAKE(late_failure_is_forgotten),
    IN(RunSchedule, run_is_submitted_twice),
    IN(CreateScheduleCommand, nested_schedule_runs_twice),
    IN(SetCommandPredecessors, first_predecessor_is_forgotten),
    MISTAKE(released_buffer_lives_on),
    IN(ReleaseEvent, second_release_is_fine),
    IN(CreateBuffer, buffers_leave_memory),
    IN(ReleaseStream, streams_leave_memory),
    IN(GetKernel, unknown_kernel_is_an_invalid_value),
    IN(CreateBuffer, errors_have_no_text),
    IN(CreateStream, result_is_written_on_failure),
    IN(GetBufferProperty, size_is_rounded_up),
    IN(GetDeviceProperty, a_key_without_a_value),
    MISTAKE(managed_memory_is_only_claimed),
    MISTAKE(timing_is_not_claimed),
    IN(CreateBuffer, a_buffer_of_no_bytes),
    IN(CreateStream, any_priority_will_do),
    IN(GetDevice, every_index_is_device_0),
    MISTAKE(unfinished_command_stays),
    IN(FinalizeCommand, missing_argument_is_fine),
};
#undef IN
#undef MISTAKE

// Plants the mistake of that name; none if the name is empty. False where it is unknown.
bool plant(std::string_view name, Place place) {
  for (const Mistake &mistake : kMistakes) {
    if (mistake.name == name) {
      mistake.plant(place);
      return true;
    }
  }
  return name.empty();
}

// The runtime has the name of the backend.
nxs_status read(nxs_id runtime, nxs_property property, nxs_value *out_value) {
  const nxs_status status = right.GetRuntimeProperty(runtime, property, out_value);
  if (status == NXS_Success && property == NP_Name) {
    out_value->size = sizeof(kName) - 1;
    if (out_value->size <= out_value->capacity)
      std::memcpy(out_value->data, kName, out_value->size);
  }
  return status;
}

}  // namespace
}  // namespace planted

extern "C" {

// nexus_reference.cpp, compiled with -DnxsQueryPlugin=nxsQueryReference.
nxs_status nxsQueryReference(const nxs_host *host, nxs_plugin *plugin);

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_status status = nxsQueryReference(host, plugin);
  // A host of before would have a shorter table.
  if (status == NXS_Success && plugin->functions->struct_size >= sizeof(nxs_functions)) {
    planted::host = host;
    planted::right = *plugin->functions;
    plugin->name = {planted::kName, sizeof(planted::kName) - 1};
    plugin->functions->GetRuntimeProperty = planted::read;
    const char *name = std::getenv("NEXUS_PLANTED");
    if (!planted::plant(name == nullptr ? "" : name, {*plugin->functions, *plugin}))
      return NXS_InvalidValue;
  }
  return status;
}

}  // extern "C"
