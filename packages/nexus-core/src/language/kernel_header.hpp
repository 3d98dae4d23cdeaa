// SPDX-License-Identifier: Apache-2.0
//
// The text of the portable kernel header. It is part of libnexus, so that the header always has
// this version.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nexus::core {

struct EmbeddedText {
  const char *name;           // in an #include: "nexus-kernel/cpu.h"
  const char *const *pieces;  // parts of the text; ends with NULL
};

/// Returns the embedded files. Defined in a file that cmake/embed-texts.cmake writes.
std::span<const EmbeddedText> embeddedKernelHeaders() noexcept;

/// The file included before the first line of a program in the portable language.
inline constexpr std::string_view kKernelHeader = "nexus_kernel.h";

/// Returns the text of a file of the header by its name in an #include, or NULL. Lives as long as
/// the process.
const std::string *kernelHeaderText(std::string_view name);

}  // namespace nexus::core
