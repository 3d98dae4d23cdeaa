// SPDX-License-Identifier: Apache-2.0
//
// What a compiler says is wrong with a program: "file:line:column: error: words", as gcc and clang
// write it, and as plug-ins write it for other compilers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

struct Diagnostic {
  std::string file;
  uint64_t line;    // from 1; 0: the end of the program
  uint64_t column;  // in bytes, from 1; 0: not known
  std::string text;

  /// The names in quotes.
  std::vector<std::string_view> allQuoted() const;
  /// The first of them; empty where there is none.
  std::string_view quoted() const;
  bool says(std::string_view words) const noexcept;
};

/// The errors of a log, in their order, the first few hundred. One within a macro of the portable
/// header is told where the program uses the macro. A name that the linker misses is told as
/// "undefined reference to 'name'" at the end of the program.
std::vector<Diagnostic> errorsOf(std::string_view log);

}  // namespace nexus::core
