// SPDX-License-Identifier: Apache-2.0
#include "language/directive.hpp"

#include <iterator>

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

// Skips the comment that begins here; for `//`, up to the line's end.
static void skipComment(Letters &letters) {
  letters.next();
  if (letters.next() == '/') {
    while (!letters.done() && letters.peek() != '\n') letters.next();
    return;
  }
  while (!letters.done() && !letters.sees('*', '/')) letters.next();
  letters.next();
  letters.next();
}

// Skips the string or character that begins here, up to the line's end if it is not closed.
// Appends it to out unless that is NULL.
static void skipQuoted(Letters &letters, std::string *out = nullptr) {
  const auto take = [&] {
    const char letter = letters.next();
    if (out != nullptr) *out += letter;
    return letter;
  };
  const char quote = take();
  while (!letters.done() && letters.peek() != '\n') {
    const char letter = take();
    if (letter == quote) return;
    if (letter == '\\' && letters.peek() != '\n') take();
  }
}

// Skips a number, in which ' may separate digits. Appends it to out unless that is NULL.
static void skipNumber(Letters &letters, std::string *out = nullptr) {
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

namespace {

// Returns the name of a file to include, with its quotes or brackets; it has no comments and no
// escapes.
std::string takeFileName(Letters &letters) {
  const char close = letters.peek() == '<' ? '>' : letters.peek() == '"' ? '"' : '\0';
  std::string name;
  if (close == '\0') return name;
  do {
    name += letters.next();
  } while (!letters.done() && letters.peek() != '\n' && letters.peek() != close);
  if (letters.peek() == close) name += letters.next();
  return name;
}

// Returns the directive that starts at this '#'.
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

// Returns "X" of `#ifndef X` and `#if !defined(X)`; empty for others.
std::string guardName(const Directive &directive) {
  if (directive.name == "ifndef") return directive.rest;
  std::string letters;
  std::copy_if(directive.rest.begin(), directive.rest.end(), std::back_inserter(letters),
               [](char letter) { return !isBlank(letter); });
  const std::string_view begin = "!defined(";
  if (directive.name != "if" || !letters.starts_with(begin) || letters.back() != ')') return {};
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

std::string definedName(const Directive &directive) {
  const auto end = std::find_if_not(directive.rest.begin(), directive.rest.end(), isWordPart);
  return {directive.rest.begin(), end};
}

std::optional<std::size_t> macroParameters(const Directive &directive) {
  const std::size_t open = definedName(directive).size();
  if (directive.name != "define" || open >= directive.rest.size() || directive.rest[open] != '(') {
    return std::nullopt;
  }
  const std::string list = directive.rest.substr(open + 1, directive.rest.find(')') - open - 1);
  if (list.find("...") != std::string::npos) return std::nullopt;
  const bool none = std::all_of(list.begin(), list.end(), isBlank);
  return none ? 0 : static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
}

bool hasIncludeGuard(const Directives &directives) {
  const std::vector<Directive> &list = directives.list;
  if (list.size() < 3 || directives.begins_with_code || directives.ends_with_code) return false;
  const std::string name = guardName(list[0]);
  const bool defined = list[1].name == "define" && list[1].rest.starts_with(name) &&
                       (list[1].rest.size() == name.size() || isBlank(list[1].rest[name.size()]));
  if (name.empty() || !defined) return false;
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    depth += opensConditional(list[i]) ? 1 : closesConditional(list[i]) ? -1 : 0;
    const bool outermost_branch = depth == 1 && list[i].name.starts_with("el");
    if (outermost_branch || (depth == 0) != (i + 1 == list.size())) return false;
  }
  return true;
}

}  // namespace nexus::core
