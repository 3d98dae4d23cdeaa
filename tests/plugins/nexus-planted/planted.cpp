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

#define MISTAKE(name) {#name, name::plant}
constexpr Mistake kMistakes[] = {
    MISTAKE(copy_one_byte_short),
    MISTAKE(copy_from_the_start),
    MISTAKE(copy_cut_to_the_buffer),
    MISTAKE(write_one_byte_off),
    MISTAKE(transfer_to_the_start),
    MISTAKE(overlap_is_copied),
    MISTAKE(fill_with_half_the_pattern),
    MISTAKE(fill_command_one_element_long),
    MISTAKE(initial_contents_lost),
    MISTAKE(maintained_memory_is_copied),
    MISTAKE(scalar_loses_its_upper_half),
    MISTAKE(argument_begins_at_the_buffer),
    MISTAKE(rebinding_is_forgotten),
    MISTAKE(last_group_is_not_launched),
    MISTAKE(grid_is_rounded_up),
    MISTAKE(wait_returns_early),
    MISTAKE(query_says_completed),
    MISTAKE(tickets_repeat),
    MISTAKE(ticket_of_the_future_is_completed),
    MISTAKE(stream_does_not_wait_for_the_event),
    MISTAKE(event_is_set_at_once),
    MISTAKE(elapsed_time_runs_backwards),
    MISTAKE(callback_comes_twice),
    MISTAKE(callback_does_not_wait),
    MISTAKE(late_failure_is_forgotten),
    MISTAKE(run_is_submitted_twice),
    MISTAKE(released_buffer_lives_on),
    MISTAKE(second_release_is_fine),
    MISTAKE(buffers_leave_memory),
    MISTAKE(streams_leave_memory),
    MISTAKE(unknown_kernel_is_an_invalid_value),
    MISTAKE(errors_have_no_text),
    MISTAKE(result_is_written_on_failure),
    MISTAKE(size_is_rounded_up),
    MISTAKE(a_key_without_a_value),
    MISTAKE(managed_memory_is_only_claimed),
    MISTAKE(timing_is_not_claimed),
    MISTAKE(a_buffer_of_no_bytes),
    MISTAKE(any_priority_will_do),
    MISTAKE(every_index_is_device_0),
    MISTAKE(unfinished_command_stays),
    MISTAKE(missing_argument_is_fine),
};
#undef MISTAKE

// Plants the mistake of that name; none where the name is empty. False where it is unknown.
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
