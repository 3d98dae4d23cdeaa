// SPDX-License-Identifier: Apache-2.0
// The checked request of nxs_compile_info, in the form that hipRTC takes.
#ifndef NEXUS_HIP_COMPILE_REQUEST_HPP_
#define NEXUS_HIP_COMPILE_REQUEST_HPP_

#include "compile/target_id.hpp"

#include <nexus-plugin/compile/compile_checks.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

struct CompileRequest : nexus_plugin::CxxSettings {
  std::string_view source;  // the caller's
  std::string name;         // not empty, one line
  TargetId target;
  int optimization = 3;  // 0 to 3
  bool fast_math = false, debug = false, line_info = false;
  std::vector<std::string> extra_flags;  // the caller's own, in hipRTC's words
};

// The languages that programs for HIP can be written in.
const std::vector<std::string> &compile_languages();

// own_target: the device's. Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or
// NXS_InvalidValue (the target), in words that name the parameter.
CompileRequest read_compile_request(std::string_view own_target,
                                    const nexus_plugin::CompileSettings &settings);

}  // namespace nexus_hip

#endif  // NEXUS_HIP_COMPILE_REQUEST_HPP_
