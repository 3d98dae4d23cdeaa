// SPDX-License-Identifier: Apache-2.0
//
// A compiler's error: "file:line:column: error: words", in the format of gcc and clang, which
// plug-ins also use for other compilers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "language/source_map.hpp"

namespace nexus::core {

struct Diagnostic {
  std::string file;
  uint64_t line;    // from 1; 0: the end of the program
  uint64_t column;  // in bytes, from 1; 0: unknown
  std::string text;

  /// The names in quotes.
  std::vector<std::string_view> allQuoted() const;
  /// The first name in quotes; empty if there is none.
  std::string_view quoted() const;
  bool says(std::string_view words) const noexcept;
};

/// Returns the first errors of a log, up to a few hundred. An error within a macro of the portable
/// header is reported where the program uses the macro. A name that the linker misses is reported
/// as "undefined reference to 'name'" at the end of the program.
std::vector<Diagnostic> errorsOf(std::string_view log);

/// Returns the log of a compiler of this text. Each "file:line:column: words" that has no caret
/// gets the line and one: gcc would look for the line in a file of that name.
std::string withSourceLines(std::string_view log, std::string_view text);

}  // namespace nexus::core
