// SPDX-License-Identifier: Apache-2.0
#include "language/source_letters.hpp"

namespace nexus::core {
namespace {

// Skips the raw string whose quote is here, or only the quote if it is none.
void skipRawString(Letters &letters) {
  const std::string_view left = letters.left();
  const std::size_t open = left.find_first_of("( )\\\t\v\f\n", 1);
  if (open == std::string_view::npos || left[open] != '(') {
    letters.next();
    return;
  }
  const std::string close = ")" + std::string(left.substr(1, open - 1)) + "\"";
  const std::size_t end = left.find(close, open);
  letters.moveTo(letters.at() + (end == std::string_view::npos ? left.size() : end + close.size()));
}

void skipWord(Letters &letters) {
  std::string word;
  while (isWordPart(letters.peek())) word += letters.next();
  const bool raw = word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
  if (raw && letters.peek() == '"') {
    skipRawString(letters);
  }
}

}  // namespace

bool beginsComment(const Letters &letters) {
  return letters.peek() == '/' && (letters.peekSecond() == '/' || letters.peekSecond() == '*');
}

void skipComment(Letters &letters) {
  letters.next();
  if (letters.next() == '/') {
    while (!letters.done() && letters.peek() != '\n') letters.next();
    return;
  }
  while (!letters.done() && !letters.sees('*', '/')) letters.next();
  letters.next();
  letters.next();
}

void skipQuoted(Letters &letters, std::string *out) {
  const auto take = [&] {
    const char letter = letters.next();
    if (out != nullptr) *out += letter;
    return letter;
  };
  const char quote = take();
  while (!letters.done() && letters.peek() != '\n') {
    const char letter = take();
    if (letter == quote) {
      return;
    }
    if (letter == '\\' && letters.peek() != '\n') take();
  }
}

void skipNumber(Letters &letters, std::string *out) {
  while (isWordPart(letters.peek()) || letters.peek() == '.' ||
         (letters.peek() == '\'' && isWordPart(letters.peekSecond()))) {
    const char letter = letters.next();
    if (out != nullptr) *out += letter;
  }
}

void skipToken(Letters &letters) {
  const char letter = letters.peek();
  if (letter == '"' || letter == '\'') {
    skipQuoted(letters);
  } else if (isDecimalDigit(letter)) {
    skipNumber(letters);
  } else if (isWordPart(letter)) {
    skipWord(letters);
  } else {
    letters.next();
  }
}

void skipBlanks(Letters &letters) {
  while (isBlank(letters.peek()) || beginsComment(letters)) {
    if (isBlank(letters.peek())) {
      letters.next();
    } else {
      skipComment(letters);
    }
  }
}

}  // namespace nexus::core
