// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of the kernels in object code.
#pragma once

#include <string>
#include <string_view>

#include "compile/program.hpp"
#include "compile/target.hpp"

namespace nexus::core {

/// Loads the code temporarily on the target's device and returns the JSON list of
/// nexus_object_code_info. Empty if the code's architecture can't be loaded here. Throws
/// NXS_InvalidProgram if there is no kernel, and the status of nxsCreateLibrary.
std::string describeKernels(const Target &target, const Program &program, std::string_view code);

}  // namespace nexus::core
