// SPDX-License-Identifier: Apache-2.0
//
// Finds from their parameters which functions submit work, and to which stream.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <tuple>
#include <type_traits>

namespace nexus::core::layers {

/// Functions that submit have the ticket as their last result.
template <typename... Arguments>
inline constexpr bool submits =
    std::is_same_v<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>,
                   nxs_ticket *>;

/// Returns the ticket of a function that submits.
template <typename... Arguments>
nxs_ticket *ticketOf(Arguments... arguments) noexcept {
  return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

/// Returns the one argument that is the id of a stream.
template <typename... Arguments>
nxs_id streamOf(Arguments... arguments) noexcept {
  nxs_id stream = 0;
  const auto look = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), nxs_id>) {
      if (NXS_ID_TYPE(argument) == NXS_ObjectType_Stream) stream = argument;
    }
  };
  (look(arguments), ...);
  return stream;
}

}  // namespace nexus::core::layers
