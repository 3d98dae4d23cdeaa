// SPDX-License-Identifier: Apache-2.0
//
// Sentences of the layer `validate`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "layers/validate/parameters.hpp"

namespace nexus::core::layers::validation {

template <typename Part>
void putWord(std::string &text, const Part &part) {
  if constexpr (std::is_arithmetic_v<Part>) {
    text += std::to_string(part);
  } else {
    text += std::string_view(part);
  }
}

/// The parts, one after the other: texts and numbers.
template <typename... Parts>
std::string words(const Parts &...parts) {
  std::string text;
  (putWord(text, parts), ...);
  return text;
}

/// "buffer#3.1": the type, the index and the generation.
inline std::string idText(nxs_id id) {
  std::string text;
  putArgument(text, Parameter{"nxs_id", "", false}, id);
  return text;
}

}  // namespace nexus::core::layers::validation
