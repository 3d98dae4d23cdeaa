// SPDX-License-Identifier: Apache-2.0
//
// What each parameter is checked for by its type and name alone, whatever the function. Notes the
// parameters in call.given.
#pragma once

#include "layers/calls_text.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

void take(Call &call, const Parameter &parameter, nxs_id id);
void take(Call &call, const Parameter &parameter, uint64_t number);
void take(Call &call, const Parameter &parameter, int32_t number);
void take(Call &call, const Parameter &parameter, uint32_t number);
void take(Call &call, const Parameter &parameter, const void *pointer);
void take(Call &call, const Parameter &parameter, void (*callback)(void *, nxs_status));
void take(Call &call, const Parameter &parameter, const nxs_string *text);
void take(Call &call, const Parameter &parameter, const nxs_argument *argument);
void take(Call &call, const Parameter &parameter, const nxs_launch *launch);
void take(Call &call, const Parameter &parameter, const nxs_buffer_range *range);
void take(Call &call, const Parameter &parameter, const nxs_compile_info *info);
void take(Call &call, const Parameter &parameter, const nxs_link_info *info);
void take(Call &call, const Parameter &parameter, const nxs_sink *sink);
void take(Call &call, const Parameter &parameter, const nxs_value *value);
void take(Call &call, const Parameter &parameter, const nxs_completion *completion);
void take(Call &call, const Parameter &parameter, const nxs_argument_info *info);
void take(Call &call, const Parameter &parameter, const nxs_occupancy *occupancy);
void take(Call &call, const Parameter &parameter, nxs_id *made);
void take(Call &call, const Parameter &parameter, nxs_ticket *ticket);
void take(Call &call, const Parameter &parameter, double *nanoseconds);
void take(Call &call, const Parameter &parameter, void **mapped);

template <typename Function, typename... Arguments>
void checkParameters(Call &call, Arguments... arguments) {
  const ParameterList &parameters = ParameterList::of<Function>();
  std::size_t index = 0;
  (take(call, parameters.at(index++), arguments), ...);
}

}  // namespace nexus::core::layers::validation
