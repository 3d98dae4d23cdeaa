// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a compiled program say of themselves.
#pragma once

#include <string>
#include <string_view>

#include "compile/program.hpp"
#include "compile/target.hpp"

namespace nexus::core {

/// Loads the code on the target's device for a moment, and gives the JSON list of
/// nexus_object_code_info. Empty where the code is for an architecture that can't be loaded here.
/// Throws NXS_InvalidProgram where there is no kernel, and what nxsCreateLibrary returns.
std::string describeKernels(const Target &target, const Program &program, std::string_view code);

}  // namespace nexus::core
