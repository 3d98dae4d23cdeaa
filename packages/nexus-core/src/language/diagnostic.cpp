// SPDX-License-Identifier: Apache-2.0
#include "language/diagnostic.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "language/directive.hpp"
#include "language/kernel_header.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kMostErrors = 200;  // more than anybody reads

std::optional<uint64_t> takeNumber(std::string_view &text) {
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Parses "file:line:column: words" or "file:line: words". The file's name may contain colons.
std::optional<Diagnostic> readPlaced(std::string_view line) {
  constexpr std::string_view kAtEnd = "At end of source: ";  // NVRTC's
  if (line.starts_with(kAtEnd)) {
    return Diagnostic{{}, 0, 0, std::string(line.substr(kAtEnd.size()))};
  }
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon + 1);
    const std::optional<uint64_t> number = takeNumber(rest);
    if (!number || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    std::optional<uint64_t> column;
    if (!rest.starts_with(' ')) {
      column = takeNumber(rest);
      if (!column || !rest.starts_with(':')) continue;
      rest.remove_prefix(1);
    }
    if (rest.starts_with(' ')) {
      return Diagnostic{std::string(line.substr(0, colon)), *number, column.value_or(0),
                        std::string(rest.substr(1))};
    }
  }
  return std::nullopt;
}

// Parses the errors of GNU's and LLVM's linkers for an undefined name.
std::optional<Diagnostic> readUndefined(std::string_view line) {
  for (const std::string_view begin : {"undefined reference to `", "undefined symbol: "}) {
    const std::size_t at = line.find(begin);
    if (at == std::string_view::npos) continue;
    const std::string_view name = line.substr(at + begin.size());
    const auto end = std::find_if_not(name.begin(), name.end(), isWordPart);
    return Diagnostic{{}, 0, 0, "undefined reference to '" + std::string(name.begin(), end) + "'"};
  }
  return std::nullopt;
}

// Removes "error: " and the like. Returns false if the text is not an error.
bool takeError(std::string &text) {
  for (const std::string_view begin : {"error: ", "fatal error: ", "catastrophic error: "}) {
    if (!text.starts_with(begin)) continue;
    text.erase(0, begin.size());
    const std::size_t flag = text.rfind(" [-W");
    if (flag != std::string::npos && text.ends_with(']')) text.erase(flag);
    return true;
  }
  return false;
}

// Returns text with uniform quotes and without escapes, for all compilers and locales.
std::string plainWords(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view left = text.substr(i);
    if (left.starts_with("\xE2\x80\x98") || left.starts_with("\xE2\x80\x99")) {
      plain += '\'';
      i += 2;
    } else if (!left.starts_with("\\'") && !left.starts_with("\\\"")) {
      plain += text[i];
    }
  }
  return plain;
}

// Removes the first line from a text and returns it without its end.
std::string_view takeLine(std::string_view &text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Returns whether a line with a caret comes before the next message.
bool hasCaret(std::string_view log) {
  while (!log.empty()) {
    const std::string_view line = takeLine(log);
    const bool only_marks = line.find_first_not_of(" \t\r|~^") == std::string_view::npos;
    if (only_marks && line.find('^') != std::string_view::npos) return true;
    if (readPlaced(line)) return false;
  }
  return false;
}

bool isOfHeader(const Diagnostic &diagnostic) {
  return kernelHeaderText(diagnostic.file) != nullptr;
}

}  // namespace

std::vector<std::string_view> Diagnostic::allQuoted() const {
  std::vector<std::string_view> all;
  for (std::size_t open = 0; open < text.size(); ++open) {
    const bool apostrophe = open > 0 && isWordPart(text[open - 1]);
    if ((text[open] != '\'' && text[open] != '"') || apostrophe) continue;
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string::npos) break;
    all.push_back(std::string_view(text).substr(open + 1, close - open - 1));
    open = close;
  }
  return all;
}

std::string_view Diagnostic::quoted() const {
  const std::vector<std::string_view> all = allQuoted();
  return all.empty() ? std::string_view() : all.front();
}

bool Diagnostic::says(std::string_view words) const noexcept {
  return text.find(words) != std::string::npos;
}

std::vector<Diagnostic> errorsOf(std::string_view log) {
  std::vector<Diagnostic> errors;
  while (!log.empty() && errors.size() < kMostErrors) {
    const std::string_view line = takeLine(log);
    if (std::optional<Diagnostic> undefined = readUndefined(line)) {
      errors.push_back(*std::move(undefined));
      continue;
    }
    std::optional<Diagnostic> said = readPlaced(line);
    if (!said) continue;
    said->text = plainWords(said->text);
    if (takeError(said->text)) {
      errors.push_back(*std::move(said));
    } else if (!errors.empty() && isOfHeader(errors.back()) && !isOfHeader(*said) &&
               said->text.starts_with("note: in expansion of macro")) {
      said->text = std::move(errors.back().text);
      errors.back() = *std::move(said);
    }
  }
  return errors;
}

std::string withSourceLines(std::string_view log, std::string_view text) {
  std::optional<SourceMap> map;  // made when a message needs it
  std::string shown;
  while (!log.empty()) {
    const std::string_view left = log;
    const std::string_view line = takeLine(log);
    shown += left.substr(0, left.size() - log.size());
    const std::optional<Diagnostic> said = readPlaced(line);
    if (!said || said->column == 0 || hasCaret(log)) continue;
    if (!map) map.emplace(text);
    if (const auto at = map->offsetOf(said->file, said->line)) {
      if (shown.back() != '\n') shown += '\n';
      shown += map->lineWithCaret(*at +
                                  std::min<std::size_t>(said->column - 1, map->lineAt(*at).size()));
    }
  }
  return shown;
}

}  // namespace nexus::core
