// SPDX-License-Identifier: Apache-2.0
#include "language/source_map.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "language/kernel_header.hpp"

namespace nexus::core {
namespace {

// Returns the file in the quotes of a #line; nothing if it has none.
std::optional<std::string> lineFile(std::string_view rest) {
  const std::size_t open = rest.find('"');
  const std::size_t close = rest.rfind('"');
  if (open == std::string_view::npos || close == open) return std::nullopt;
  std::string file;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (rest[i] == '\\' && i + 1 < close) ++i;
    file += rest[i];
  }
  return file;
}

std::optional<uint64_t> lineNumber(std::string_view rest) {
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return failed == std::errc() ? std::optional(number) : std::nullopt;
}

// Returns whether an #ifndef is an include guard, so that its contents are in no #if of the user.
bool opensGuard(const std::vector<Directive> &list, std::size_t i) {
  return list[i].name == "ifndef" && i + 1 < list.size() && list[i + 1].name == "define" &&
         definedName(list[i + 1]) == list[i].rest;
}

}  // namespace

bool Token::isWord() const noexcept {
  return isWordPart(text.front()) && !isDecimalDigit(text.front());
}

SourceMap::SourceMap(std::string_view text) : text_(text), directives_(directivesOf(text)) {
  readDirectives();
  readTokens();
}

void SourceMap::readDirectives() {
  stretches_.push_back({0, 1, {}, false});
  for (const Directive &directive : directives_.list) {
    const bool is_nexus = stretches_.back().is_nexus;
    if (directive.name == "define" && !is_nexus) {
      macros_.push_back(definedName(directive));
    }
    const auto line = directive.name == "line" || directive.name.empty()
                          ? lineNumber(directive.rest)
                          : std::nullopt;
    if (line) {
      const std::string file = lineFile(directive.rest).value_or(stretches_.back().file);
      stretches_.push_back({directive.end, *line, file, kernelHeaderText(file) != nullptr});
    }
  }
}

void SourceMap::readTokens() {
  std::vector<bool> open;  // open blocks of #if: whether each is not an include guard
  std::size_t begin = 0;
  const auto in_if = [&] { return contains(open, true); };
  for (std::size_t i = 0; i < directives_.list.size(); ++i) {
    const Directive &directive = directives_.list[i];
    readGap(begin, directive.begin, in_if(), tokens_);
    begin = directive.end;
    if (directive.name == "define" && !stretchOf(directive.begin).is_nexus) {
      readGap(directive.begin, directive.end, in_if(), macro_tokens_);
    }
    if (opensConditional(directive)) {
      open.push_back(!opensGuard(directives_.list, i));
    } else if (closesConditional(directive) && !open.empty()) {
      open.pop_back();
    }
  }
  readGap(begin, text_.size(), in_if(), tokens_);
}

void SourceMap::readGap(std::size_t begin, std::size_t end, bool in_if,
                        std::vector<Token> &out) const {
  const bool is_nexus = stretchOf(begin).is_nexus;
  Letters letters(text_.substr(begin, end - begin));
  while (!letters.done()) {
    if (letters.peek() == '\n') {
      letters.next();
    } else if (isBlank(letters.peek()) || beginsComment(letters)) {
      skipBlanks(letters);
    } else {
      const std::size_t at = begin + letters.at();
      skipToken(letters);
      const std::size_t size = begin + letters.at() - at;
      out.push_back({text_.substr(at, size), at, in_if, is_nexus});
    }
  }
}

const SourceMap::Stretch &SourceMap::stretchOf(std::size_t offset) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), offset,
                       [](std::size_t at, const Stretch &stretch) { return at < stretch.begin; });
  return *(after - 1);
}

SourcePlace SourceMap::placeOf(std::size_t offset) const {
  const Stretch &stretch = stretchOf(offset);
  const std::string_view before = text_.substr(stretch.begin, offset - stretch.begin);
  const auto lines = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t end = before.rfind('\n');
  return {stretch.file, stretch.line + lines,
          before.size() - (end == std::string_view::npos ? 0 : end + 1) + 1};
}

// A file may be included more than once, and the lines of its includes are empty.
std::optional<std::size_t> SourceMap::offsetOf(std::string_view file, uint64_t line) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch &stretch = stretches_[i];
    if (stretch.file != file || stretch.line > line) continue;
    const std::size_t end = i + 1 < stretches_.size() ? stretches_[i + 1].begin : text_.size();
    std::size_t at = stretch.begin;
    for (uint64_t number = stretch.line; number < line && at < end; ++number) {
      at = std::min(text_.find('\n', at), end - 1) + 1;
    }
    if (at >= end) continue;
    found = at;
    if (!lineAt(at).empty()) return found;
  }
  return found;
}

std::string_view SourceMap::lineAt(std::size_t offset) const {
  const std::size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::string SourceMap::show(std::size_t offset, std::string_view words) const {
  const SourcePlace place = placeOf(offset);
  std::string shown = place.file + ":" + std::to_string(place.line) + ":";
  shown.append(std::to_string(place.column)).append(": ").append(words).append("\n");
  return shown + lineWithCaret(offset);
}

std::string SourceMap::lineWithCaret(std::size_t offset) const {
  const SourcePlace place = placeOf(offset);
  const std::string_view line = lineAt(offset);
  const std::string number = std::to_string(place.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string shown = margin;
  shown.append(number).append(" | ").append(line).append("\n");
  shown.append(margin.size() + number.size(), ' ').append(" | ");
  for (const char letter : line.substr(0, place.column - 1)) {
    const bool continues = (static_cast<unsigned char>(letter) & 0xC0U) == 0x80;  // of UTF-8
    if (!continues) shown += letter == '\t' ? '\t' : ' ';
  }
  return shown + "^\n";
}

}  // namespace nexus::core
