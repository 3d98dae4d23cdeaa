// SPDX-License-Identifier: Apache-2.0
//
// The layer `calls` (NEXUS_LAYERS=calls): one line for each call of a plug-in, with
// its arguments, its status and its results, such as
//   nexus: calls: cpu: nxsCreateStream(device=device#0.1, priority=0) -> NXS_Success,
//   out_stream=stream#2.1
// An object is its type, '#', its index in the plug-in's table, '.' and its generation.
//
// Lines are appended to the file NEXUS_CALLS_FILE, else written to stderr; not to the log, whose
// function may need a lock that the caller of this thread holds. A line is written when the call
// has returned.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "host/function_list.hpp"
#include "layers/calls_text.hpp"

namespace nexus::core::layers {

struct Calls {
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments) noexcept {
    // Format the arguments before the call, which may change what pointers point to.
    std::string line;
    const auto put = [&](const std::string &name, const std::string &text) {
      if (line.back() != '(') line += ", ";
      line += name + "=" + text;
    };
    const bool formatted = attempt([&] {
      line = std::string(Function::name) + "(";
      showArguments(ParameterList::of<Function>(), false, {ShownArgument(arguments)...}, put);
      line += ")";
    });
    const nxs_status status = (next.*Function::member)(arguments...);
    const bool shown =
        formatted && attempt([&] {
          putStatus(line, status);
          if (status == NXS_Success) {
            showArguments(ParameterList::of<Function>(), true, {ShownArgument(arguments)...}, put);
          }
        });
    if (shown) writeCallLine(tag, line);
    return status;
  }
};

}  // namespace nexus::core::layers
