// SPDX-License-Identifier: Apache-2.0
//
// Reading a source text of C or C++ letter by letter: what is a comment, a string, a word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexus::core {

inline bool isBlank(char letter) noexcept {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

inline bool isDecimalDigit(char letter) noexcept {
  return letter >= '0' && letter <= '9';
}

/// Bytes of letters beyond ASCII count too.
inline bool isWordPart(char letter) noexcept {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '$' || isDecimalDigit(letter) || static_cast<unsigned char>(letter) >= 0x80;
}

/// The letters of a text of C or C++, without the ends of lines that a backslash continues.
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
  /// Moves to an offset further on, without regard to continuations.
  void moveTo(std::size_t offset) {
    const auto begin = text_.begin();
    line_ += static_cast<uint64_t>(std::count(begin + static_cast<std::ptrdiff_t>(at_),
                                              begin + static_cast<std::ptrdiff_t>(offset), '\n'));
    at_ = offset;
    skipContinuations();
  }
  std::string_view left() const { return text_.substr(at_); }

 private:
  // As gcc and clang do, also where blanks stand between the backslash and the line's end.
  void skipContinuations() {
    while (at_ < text_.size() && text_[at_] == '\\') {
      std::size_t end = at_ + 1;
      while (end < text_.size() && isBlank(text_[end])) ++end;
      if (end >= text_.size() || text_[end] != '\n') {
        return;
      }
      at_ = end + 1;
      ++line_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  uint64_t line_ = 1;
};

bool beginsComment(const Letters &letters);

/// Moves behind the string or character that begins here, or before the end of a line that lacks
/// its end. Appends it to out where that is not NULL.
void skipQuoted(Letters &letters, std::string *out = nullptr);

/// Moves behind a number, in which a ' separates digits. Appends it to out where that is not NULL.
void skipNumber(Letters &letters, std::string *out = nullptr);

/// Moves behind the string, number or word that begins here, else behind one letter.
void skipToken(Letters &letters);

/// Moves behind blanks and comments, not behind the end of a line.
void skipBlanks(Letters &letters);

/// Moves behind the comment that begins here; before the end of the line of a `//`.
void skipComment(Letters &letters);

}  // namespace nexus::core
