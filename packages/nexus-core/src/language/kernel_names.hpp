// SPDX-License-Identifier: Apache-2.0
//
// The names of the portable kernel language, and its replacements for other languages' names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

/// Returns whether the portable header has the name: NEXUS_X or nexus_x, for use in kernels.
bool isKernelName(std::string_view name);

/// Returns whether the name is a keyword of CUDA or OpenCL C only, such as `__shared__`.
bool isForeignKeyword(std::string_view name);

/// Returns whether the name begins a kernel in another language, or is a misspelt NEXUS_KERNEL.
bool isForeignKernel(std::string_view name);

/// Returns the number of arguments of a macro of the portable header; nothing for other names.
std::optional<std::size_t> kernelMacroParameters(std::string_view name);

/// Returns the replacement for a name that the language does not have, as the end of a sentence: ";
/// use nexus_sqrt", "; did you mean NEXUS_GLOBAL?". Empty if none is known.
std::string adviceOn(std::string_view name);

}  // namespace nexus::core
