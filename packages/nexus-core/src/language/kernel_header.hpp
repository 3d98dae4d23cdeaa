// SPDX-License-Identifier: Apache-2.0
//
// The text of the portable kernel header, which libnexus carries, so that the header is the one of
// this version on every machine.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nexus::core {

/// A file that the build put into libnexus.
struct EmbeddedText {
  const char *name;           // as it is included: "nexus-kernel/cpu.h"
  const char *const *pieces;  // one after the other; NULL after the last
};

/// Those files. Defined in the file that cmake/embed-texts.cmake writes.
std::span<const EmbeddedText> embeddedKernelHeaders() noexcept;

/// What a program in the portable language includes before its first line.
inline constexpr std::string_view kKernelHeader = "nexus_kernel.h";

/// The text of a file of the header by the name that it is included by; NULL where there is none
/// of that name. Lives as long as the process.
const std::string *kernelHeaderText(std::string_view name);

}  // namespace nexus::core
