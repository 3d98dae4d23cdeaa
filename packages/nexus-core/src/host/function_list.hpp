// SPDX-License-Identifier: Apache-2.0
//
// The functions of the C-API as types, for templates: each is a struct with its name, whether it is
// required, its index in the table, and the text of its parameters.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <string_view>

namespace nexus::core::functions {

inline constexpr bool REQUIRED = true;
inline constexpr bool OPTIONAL = false;

#define NXS_FUNCTION(need, since, function, params)           \
  struct function {                                           \
    static constexpr std::string_view name = "nxs" #function; \
    static constexpr std::string_view parameters = #params;   \
    static constexpr bool required = need;                    \
    static constexpr auto member = &nxs_functions::function;  \
    using Pointer = nxs##function##_fn;                       \
  };
#include <nexus-api/nxs_functions.def>

/// Calls visit(Function{}) for each function, in the order of the list.
template <typename Visit>
void forEach(Visit &&visit) {
#define NXS_FUNCTION(need, since, function, params) visit(function{});
#include <nexus-api/nxs_functions.def>
}

}  // namespace nexus::core::functions
