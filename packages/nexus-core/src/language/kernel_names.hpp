// SPDX-License-Identifier: Apache-2.0
//
// The names of the portable kernel language, and what it has in place of other languages' names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

/// Whether the portable header has the name: of the form NEXUS_X or nexus_x, for use in kernels.
bool isKernelName(std::string_view name);

/// Whether the name means something in CUDA or OpenCL C only, such as `__shared__`.
bool isForeignKeyword(std::string_view name);

/// Whether the name begins a kernel in another language, or is NEXUS_KERNEL misspelt.
bool isForeignKernel(std::string_view name);

/// The number of arguments that a macro of the portable header takes; nothing for other names.
std::optional<std::size_t> kernelMacroParameters(std::string_view name);

/// What to use in place of a name that the language does not have, as the end of a sentence:
/// "; use nexus_sqrt", "; did you mean NEXUS_GLOBAL?". Empty where nothing is known.
std::string adviceOn(std::string_view name);

}  // namespace nexus::core
