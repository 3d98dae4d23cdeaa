// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_log.hpp"

#include <array>
#include <nexus-plugin/json.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::array<std::string_view, 5> kSeverities = {"error", "warning", "catastrophic error",
                                                         "remark", "note"};
constexpr std::size_t kIndent = 2;  // blanks before the source's line and the caret below it
// The file that NVRTC makes of name expressions, a line each.
constexpr std::string_view kNameMap = "__nv_name_map";

std::vector<std::string_view> lines_of_words(std::string_view words) {
  std::vector<std::string_view> lines;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('\n'), words.size());
    lines.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return lines;
}

bool begins_with_severity(std::string_view words) {
  for (const std::string_view severity : kSeverities) {
    if (!words.starts_with(severity)) continue;
    const std::string_view rest = words.substr(severity.size());
    if (rest.starts_with(':') || rest.starts_with(" #")) return true;
  }
  return false;
}

// "name(3): error: words". The name may have parentheses too.
struct PlacedMessage {
  std::string_view file, line, words;
};

bool read_placed_message(std::string_view text, PlacedMessage &out) {
  for (std::size_t close = text.find("): "); close != std::string_view::npos;
       close = text.find("): ", close + 1)) {
    const std::size_t open = text.rfind('(', close);
    if (open == std::string_view::npos || open == 0) continue;
    out = {text.substr(0, open), text.substr(open + 1, close - open - 1), text.substr(close + 3)};
    const bool number =
        !out.line.empty() && out.line.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && begins_with_severity(out.words)) return true;
  }
  return false;
}

// Of the caret below a message's line of source, from 1; 0 where none follows.
std::size_t column_below(const std::vector<std::string_view> &lines, std::size_t message) {
  for (std::size_t at = message + 1; at < lines.size() && !lines[at].empty(); ++at) {
    const std::size_t caret = lines[at].find_first_not_of(" \t");
    if (caret != std::string_view::npos && caret >= kIndent && lines[at].substr(caret) == "^") {
      return caret - kIndent + 1;
    }
  }
  return 0;
}

std::string usual_message(const PlacedMessage &message, std::size_t column) {
  if (message.file == kNameMap) return nexus_plugin::join("name_expressions: ", message.words);
  const std::string place = column == 0 ? "" : ":" + std::to_string(column);
  return nexus_plugin::join(message.file, ":", message.line, place, ": ", message.words);
}

// "ptxas application ptx input, line 5; error   : words" with the file's name; other lines as they
// are.
std::string usual_ptx_message(std::string_view line, std::string_view name) {
  constexpr std::string_view kBefore = " ptx input, line ", kBetween = "; ";
  const std::size_t at = line.find(kBefore);
  const std::size_t end = line.find(kBetween, at == std::string_view::npos ? line.size() : at);
  if (end == std::string_view::npos) return std::string(line);
  const std::string_view number = line.substr(at + kBefore.size(), end - at - kBefore.size());
  const std::string_view rest = line.substr(end + kBetween.size());
  const std::string_view severity = rest.substr(0, rest.find(' '));
  const std::size_t colon = std::min(rest.find(": "), rest.size());
  return nexus_plugin::join(name, ":", number, ": ", severity, rest.substr(colon));
}

}  // namespace

std::string with_places_in_ptx(std::string_view words, std::string_view name) {
  std::string out;
  for (const std::string_view line : lines_of_words(words)) {
    out += usual_ptx_message(line, name) + "\n";
  }
  return out;
}

std::string with_usual_places(std::string_view words) {
  const std::string text = nexus_plugin::valid_utf8(words);
  const std::vector<std::string_view> lines = lines_of_words(text);
  std::string out;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    PlacedMessage message;
    const bool placed = read_placed_message(lines[at], message);
    out += placed ? usual_message(message, column_below(lines, at)) : std::string(lines[at]);
    out += '\n';
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out.empty() ? out : out + "\n";
}

}  // namespace nexus_cuda
