// SPDX-License-Identifier: Apache-2.0
//
// What a kernel says of itself against what a command gives it.
#pragma once

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// Checks an argument, and says how the kernel uses it, where it is a buffer.
Access checkArgument(Call &call, const CommandFacts &command, uint32_t index,
                     const nxs_argument &argument);
/// Checks the sizes of a launch, and that all arguments are there.
void checkLaunch(Call &call, const CommandFacts &command, const nxs_launch &launch);

/// How a kernel uses a buffer that it declares so: "const float *" is read only. Unknown for an
/// empty text.
Access accessOf(std::string_view declaration);

}  // namespace nexus::core::layers::validation
