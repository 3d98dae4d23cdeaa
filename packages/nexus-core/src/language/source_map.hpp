// SPDX-License-Identifier: Apache-2.0
//
// Maps the compiler's text to the user's files, lines and words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/directive.hpp"

namespace nexus::core {

/// A place in a file of the user.
struct SourcePlace {
  std::string file;
  uint64_t line;    // from 1
  uint64_t column;  // in bytes, from 1
};

/// A word, number or string of a text, or one other letter.
struct Token {
  std::string_view text;
  std::size_t at;  // offset
  bool in_if;      // within #if, except for an include guard
  bool is_nexus;   // of the portable header

  bool isWord() const noexcept;
};

/// Maps a program's text with its includes resolved to the files that `#line` names.
class SourceMap {
 public:
  /// Borrows the text.
  explicit SourceMap(std::string_view text);

  std::string_view text() const noexcept { return text_; }
  SourcePlace placeOf(std::size_t offset) const;
  /// Returns the offset of a line of a file; nothing if the text does not have that line.
  std::optional<std::size_t> offsetOf(std::string_view file, uint64_t line) const;
  /// Returns the line around an offset, without its line end.
  std::string_view lineAt(std::size_t offset) const;
  /// The tokens outside of comments and directives, in order.
  const std::vector<Token> &tokens() const noexcept { return tokens_; }
  const std::vector<Directive> &directives() const noexcept { return directives_.list; }
  /// The names of the macros that the text defines outside of the portable header, and the tokens
  /// of those definitions.
  const std::vector<std::string> &macros() const noexcept { return macros_; }
  const std::vector<Token> &macroTokens() const noexcept { return macro_tokens_; }

  /// "file:3:5: words", the line, and a caret below the column.
  std::string show(std::size_t offset, std::string_view words) const;
  /// The line with its number, and a caret below the column.
  std::string lineWithCaret(std::size_t offset) const;

 private:
  struct Stretch {
    std::size_t begin;
    uint64_t line;  // the line number at `begin`
    std::string file;
    bool is_nexus;
  };

  const Stretch &stretchOf(std::size_t offset) const;
  void readDirectives();
  void readTokens();
  void readGap(std::size_t begin, std::size_t end, bool in_if, std::vector<Token> &out) const;

  std::string_view text_;
  Directives directives_;
  std::vector<Stretch> stretches_;
  std::vector<Token> tokens_;
  std::vector<std::string> macros_;
  std::vector<Token> macro_tokens_;
};

}  // namespace nexus::core
