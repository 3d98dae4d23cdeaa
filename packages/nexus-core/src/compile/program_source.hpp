// SPDX-License-Identifier: Apache-2.0
//
// The text that a compiler gets: a program's source with its includes resolved.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_state.hpp"
#include "compile/program.hpp"

namespace nexus::core {

struct ProgramSource {
  std::string text;
  /// Where the user's text begins: behind the portable header.
  std::size_t header_size = 0;
  /// The files that were read, and those that were looked for in vain: while none of them changes,
  /// nor the current folder, the same program has the same text.
  std::vector<FileState> files;
  /// The names of those that were not found, which the compiler may find.
  std::set<std::string> left_to_compiler;
  /// Whether the compiler may read files whose names are not known here: `#include MACRO`,
  /// `#include_next`, `#embed`, an assembler's `.incbin`.
  bool reads_unknown_files = false;

  std::string_view userText() const noexcept { return std::string_view(text).substr(header_size); }
};

/// Puts what a program includes into its text, with #line before and after, so that compilers name
/// the files and lines that the user knows. Throws NXS_InvalidProgram where a file can't be
/// found, is no text, or includes itself without end.
///
/// A program in the portable language begins with nexus_kernel.h, which comes from libnexus. What
/// is not found there is an error, except within #if, which may leave it out. In other languages
/// it is the compiler's to find. runtime: whose compiler it is.
ProgramSource resolveIncludes(const Program &program, std::string_view runtime);

}  // namespace nexus::core
