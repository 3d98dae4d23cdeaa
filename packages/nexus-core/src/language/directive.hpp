// SPDX-License-Identifier: Apache-2.0
//
// Reads a source text of C or C++ letter by letter, and finds the preprocessor's directives in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

inline bool isBlank(char letter) noexcept {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

inline bool isDecimalDigit(char letter) noexcept {
  return letter >= '0' && letter <= '9';
}

/// Accepts bytes of letters beyond ASCII too.
inline bool isWordPart(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '$' || isDecimalDigit(letter) || static_cast<unsigned char>(letter) >= 0x80;
}

/// The letters of a text of C or C++, without line ends after a backslash.
class Letters {
 public:
  explicit Letters(std::string_view text) : text_(text) { skipContinuations(); }

  bool done() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  uint64_t line() const { return line_; }
  /// The letter here; 0 at the end.
  char peek() const { return done() ? '\0' : text_[at_]; }
  /// The letter after this one; 0 at the end.
  char peekSecond() const {
    Letters ahead = *this;
    ahead.next();
    return ahead.peek();
  }
  bool sees(char first, char second) const { return peek() == first && peekSecond() == second; }

  char next() {
    const char letter = peek();
    if (!done()) {
      line_ += letter == '\n' ? 1 : 0;
      ++at_;
      skipContinuations();
    }
    return letter;
  }
  /// Moves forward to an offset, ignoring continuations.
  void moveTo(std::size_t offset) {
    const auto begin = text_.begin();
    line_ += static_cast<uint64_t>(std::count(begin + static_cast<std::ptrdiff_t>(at_),
                                              begin + static_cast<std::ptrdiff_t>(offset), '\n'));
    at_ = offset;
    skipContinuations();
  }
  std::string_view left() const { return text_.substr(at_); }

 private:
  // As in gcc and clang, blanks may follow the backslash.
  void skipContinuations() {
    while (at_ < text_.size() && text_[at_] == '\\') {
      std::size_t end = at_ + 1;
      while (end < text_.size() && isBlank(text_[end])) ++end;
      if (end >= text_.size() || text_[end] != '\n') return;
      at_ = end + 1;
      ++line_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  uint64_t line_ = 1;
};

bool beginsComment(const Letters &letters);

/// Skips the string, number or word that begins here, else one letter.
void skipToken(Letters &letters);

/// Skips blanks and comments, but no line end.
void skipBlanks(Letters &letters);

/// A line for the preprocessor.
struct Directive {
  std::string name;    // "include"; empty for `#` alone or before a number
  std::string rest;    // the rest of the line, without comments and continuations
  std::size_t begin;   // offset of the '#'
  std::size_t end;     // offset of the next line
  uint64_t line;       // of the '#', from 1
  uint64_t next_line;  // the line number at `end`
};

/// The directives of a text, and whether code surrounds them.
struct Directives {
  std::vector<Directive> list;
  bool begins_with_code = false;  // before the first directive
  bool ends_with_code = false;    // after the last one
};

/// Ignores comments, strings and raw strings.
Directives directivesOf(std::string_view text);

/// Returns whether all of a file is within `#ifndef X`, `#define X` ... `#endif`.
bool hasIncludeGuard(const Directives &directives);

/// Return whether the directive opens a block of `#if`, or ends one.
bool opensConditional(const Directive &directive) noexcept;
bool closesConditional(const Directive &directive) noexcept;

bool isPragmaOnce(const Directive &directive) noexcept;

std::string definedName(const Directive &directive);

/// Returns the number of parameters of a `#define`; nothing without parentheses, or with `...`.
std::optional<std::size_t> macroParameters(const Directive &directive);

}  // namespace nexus::core
