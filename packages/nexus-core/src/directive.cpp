// SPDX-License-Identifier: Apache-2.0
#include "directive.hpp"

#include <algorithm>
#include <iterator>

namespace nexus::core {
namespace {

bool isBlank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

bool isDecimalDigit(char letter) {
  return letter >= '0' && letter <= '9';
}

// Bytes of letters beyond ASCII count too.
bool isWordPart(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '$' || isDecimalDigit(letter) || static_cast<unsigned char>(letter) >= 0x80;
}

// The letters of a text, without the ends of lines that a backslash continues.
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

bool beginsComment(const Letters &letters) {
  return letters.peek() == '/' && (letters.peekSecond() == '/' || letters.peekSecond() == '*');
}

// Behind the comment that begins here; before the end of the line of a `//`.
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

// Behind the string or character that begins here, or before the end of a line that lacks its end.
// Appends it to out where that is not NULL.
void skipQuoted(Letters &letters, std::string *out = nullptr) {
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

// Behind a raw string whose quote is here; behind the quote alone where it is not one.
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

// A ' between digits separates them.
void skipNumber(Letters &letters, std::string *out = nullptr) {
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

// The name of a file to include, with its marks; it has no comments and no escapes.
std::string takeFileName(Letters &letters) {
  const char close = letters.peek() == '<' ? '>' : letters.peek() == '"' ? '"' : '\0';
  std::string name;
  if (close == '\0') {
    return name;
  }
  do {
    name += letters.next();
  } while (!letters.done() && letters.peek() != '\n' && letters.peek() != close);
  if (letters.peek() == close) name += letters.next();
  return name;
}

// The directive whose '#' is here.
Directive takeDirective(Letters &letters) {
  Directive directive{{}, {}, letters.at(), 0, letters.line(), 0};
  if (letters.next() == '%') letters.next();
  skipBlanks(letters);
  while (isWordPart(letters.peek()) &&
         (!directive.name.empty() || !isDecimalDigit(letters.peek()))) {
    directive.name += letters.next();
  }
  skipBlanks(letters);
  if (directive.name == "include") {
    directive.rest = takeFileName(letters);
  }
  while (!letters.done() && letters.peek() != '\n') {
    if (beginsComment(letters)) {
      skipComment(letters);
      directive.rest += ' ';
    } else if (letters.peek() == '"' || letters.peek() == '\'') {
      skipQuoted(letters, &directive.rest);
    } else if (isDecimalDigit(letters.peek()) &&
               (directive.rest.empty() || !isWordPart(directive.rest.back()))) {
      skipNumber(letters, &directive.rest);
    } else {
      directive.rest += letters.next();
    }
  }
  letters.next();
  while (!directive.rest.empty() && isBlank(directive.rest.back())) directive.rest.pop_back();
  directive.end = letters.at();
  directive.next_line = letters.line();
  return directive;
}

// "X" of `#ifndef X` and `#if !defined(X)`; empty for others.
std::string guardName(const Directive &directive) {
  if (directive.name == "ifndef") {
    return directive.rest;
  }
  std::string letters;
  std::copy_if(directive.rest.begin(), directive.rest.end(), std::back_inserter(letters),
               [](char letter) { return !isBlank(letter); });
  const std::string_view begin = "!defined(";
  if (directive.name != "if" || !letters.starts_with(begin) || letters.back() != ')') {
    return {};
  }
  const std::string name = letters.substr(begin.size(), letters.size() - begin.size() - 1);
  return std::all_of(name.begin(), name.end(), isWordPart) ? name : std::string();
}

}  // namespace

Directives directivesOf(std::string_view text) {
  Directives found;
  Letters letters(text);
  bool line_begins = true;
  while (!letters.done()) {
    if (letters.peek() == '\n') {
      letters.next();
      line_begins = true;
    } else if (isBlank(letters.peek()) || beginsComment(letters)) {
      skipBlanks(letters);
    } else if (line_begins && (letters.peek() == '#' || letters.sees('%', ':'))) {
      found.list.push_back(takeDirective(letters));
      found.ends_with_code = false;
    } else {
      line_begins = false;
      found.begins_with_code = found.begins_with_code || found.list.empty();
      found.ends_with_code = true;
      skipToken(letters);
    }
  }
  return found;
}

bool opensConditional(const Directive &directive) noexcept {
  return directive.name == "if" || directive.name == "ifdef" || directive.name == "ifndef";
}

bool closesConditional(const Directive &directive) noexcept {
  return directive.name == "endif";
}

bool isPragmaOnce(const Directive &directive) noexcept {
  return directive.name == "pragma" && directive.rest == "once";
}

bool hasIncludeGuard(const Directives &directives) {
  const std::vector<Directive> &list = directives.list;
  if (list.size() < 3 || directives.begins_with_code || directives.ends_with_code) {
    return false;
  }
  const std::string name = guardName(list[0]);
  const bool defined = list[1].name == "define" && list[1].rest.starts_with(name) &&
                       (list[1].rest.size() == name.size() || isBlank(list[1].rest[name.size()]));
  if (name.empty() || !defined) {
    return false;
  }
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    depth += opensConditional(list[i]) ? 1 : closesConditional(list[i]) ? -1 : 0;
    const bool outermost_branch = depth == 1 && list[i].name.starts_with("el");
    if (outermost_branch || (depth == 0) != (i + 1 == list.size())) {
      return false;
    }
  }
  return true;
}

}  // namespace nexus::core
