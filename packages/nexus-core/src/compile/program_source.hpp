// SPDX-License-Identifier: Apache-2.0
//
// The text for the compiler: a program's source with its includes resolved.
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
  /// Offset of the user's text, behind the portable header.
  std::size_t header_size = 0;
  /// The files read, and the paths without a file. While these and the current folder don't change,
  /// the same program has the same text.
  std::vector<FileState> files;
  /// The names that were not found, which the compiler may find.
  std::set<std::string> left_to_compiler;
  /// Whether the compiler may read files with unknown names: `#include MACRO`, `#include_next`,
  /// `#embed`, an assembler's `.incbin`.
  bool reads_unknown_files = false;

  std::string_view userText() const noexcept { return std::string_view(text).substr(header_size); }
};

/// Replaces a program's includes by their text, between #line directives, so that compilers report
/// the user's files and lines. Throws NXS_InvalidProgram if a file can't be found, is not text, or
/// includes itself without end.
///
/// A program in the portable language begins with nexus_kernel.h, which is part of libnexus. A file
/// that is not found there is an error, except within #if, which may skip it. In other languages it
/// is left to the compiler. runtime: the backend that compiles it.
ProgramSource resolveIncludes(const Program &program, std::string_view runtime);

}  // namespace nexus::core
