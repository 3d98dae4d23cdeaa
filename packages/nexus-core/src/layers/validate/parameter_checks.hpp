// SPDX-License-Identifier: Apache-2.0
//
// What each parameter is checked for by its type and name alone, whatever the function.
#pragma once

#include <tuple>

#include "layers/validate/call.hpp"
#include "layers/validate/parameters.hpp"

namespace nexus::core::layers::validation {

/// NXS_InvalidBuffer for NXS_ObjectType_Buffer.
nxs_status invalidObject(nxs_object_type type) noexcept;

void checkId(Call &call, std::string_view name, nxs_object_type type, nxs_id id);

void checkParameter(Call &call, const Parameter &parameter, nxs_id id);
void checkParameter(Call &call, const Parameter &parameter, uint64_t number);
void checkParameter(Call &call, const Parameter &parameter, int32_t number);
void checkParameter(Call &call, const Parameter &parameter, uint32_t number);
void checkParameter(Call &call, const Parameter &parameter, const void *pointer);
void checkParameter(Call &call, const Parameter &parameter, void (*callback)(void *, nxs_status));
void checkParameter(Call &call, const Parameter &parameter, const nxs_string *text);
void checkParameter(Call &call, const Parameter &parameter, const nxs_argument *argument);
void checkParameter(Call &call, const Parameter &parameter, const nxs_launch *launch);
void checkParameter(Call &call, const Parameter &parameter, const nxs_buffer_range *range);
void checkParameter(Call &call, const Parameter &parameter, const nxs_compile_info *info);
void checkParameter(Call &call, const Parameter &parameter, const nxs_link_info *info);
void checkParameter(Call &call, const Parameter &parameter, const nxs_sink *sink);
void checkParameter(Call &call, const Parameter &parameter, const nxs_value *value);
void checkParameter(Call &call, const Parameter &parameter, const nxs_completion *completion);
void checkParameter(Call &call, const Parameter &parameter, const nxs_argument_info *info);
void checkParameter(Call &call, const Parameter &parameter, const nxs_occupancy *occupancy);

template <typename Function, typename... Arguments>
void checkParameters(Call &call, Arguments... arguments) {
  const ParameterList &parameters = ParameterList::of<Function>();
  std::size_t index = 0;
  const auto check = [&](auto argument) {
    const Parameter &parameter = parameters.at(index++);
    if constexpr (std::is_pointer_v<decltype(argument)> &&
                  !std::is_function_v<std::remove_pointer_t<decltype(argument)>>) {
      using Pointee = std::remove_const_t<std::remove_pointer_t<decltype(argument)>>;
      if constexpr (std::is_class_v<Pointee>) {
        checkParameter(call, parameter, static_cast<const Pointee *>(argument));
      } else {
        checkParameter(call, parameter, static_cast<const void *>(argument));
      }
    } else {
      checkParameter(call, parameter, argument);
    }
  };
  (check(arguments), ...);
}

}  // namespace nexus::core::layers::validation
