// SPDX-License-Identifier: Apache-2.0
#include "compile/source_lines.hpp"

#include <charconv>
#include <map>
#include <nexus-plugin/base/text.hpp>
#include <optional>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Removes the first line from a text and returns it without its line break.
std::string_view take_line(std::string_view &text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

void skip_blanks(std::string_view &text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Removes a number from the start of a text and returns it; nothing if there is none.
std::optional<int> take_number(std::string_view &text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// Returns the text of the string literal at the start of a text, without escapes.
std::optional<std::string> read_literal(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return out;
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return std::nullopt;
}

struct Place {
  int line;
  std::optional<std::string> file;  // set if another file begins
};

// Reads the place of the next line from "#line 3 "file"" or "# 3 "file"".
std::optional<Place> read_line_directive(std::string_view line) {
  skip_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks(line);
  if (line.starts_with("line")) line.remove_prefix(4);
  skip_blanks(line);
  const std::optional<int> number = take_number(line);
  if (!number) return std::nullopt;
  skip_blanks(line);
  return Place{*number, read_literal(line)};
}

using Lines = std::map<std::pair<std::string, int>, std::string_view>;

Lines find_lines(std::string_view name, std::string_view source) {
  Lines lines;
  std::string file(name);
  for (int number = 1; !source.empty(); ++number) {
    const std::string_view line = take_line(source);
    if (const std::optional<Place> place = read_line_directive(line)) {
      if (place->file) file = *place->file;
      number = place->line - 1;
    } else {
      // A resolved include leaves an empty line with the number of the text's first line.
      std::string_view &known = lines[{file, number}];
      if (known.empty()) known = line;
    }
  }
  return lines;
}

struct Message {
  std::string file;
  int line, column;  // from 1
};

// Reads the place at the start of "file:line:column: words". The file name may contain colons.
std::optional<Message> read_message(std::string_view words) {
  for (std::size_t colon = words.find(':'); colon != std::string_view::npos;
       colon = words.find(':', colon + 1)) {
    std::string_view rest = words.substr(colon + 1);
    const std::optional<int> line = take_number(rest);
    if (!line || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    const std::optional<int> column = take_number(rest);
    if (column && rest.starts_with(": ")) {
      return Message{std::string(words.substr(0, colon)), *line, *column};
    }
  }
  return std::nullopt;
}

bool has_caret(std::string_view rest) {
  (void)take_line(rest);
  const std::string_view line = take_line(rest);
  return line.find('^') != std::string_view::npos &&
         line.find_first_not_of(" \t|~^") == std::string_view::npos;
}

// Returns the line as compilers show it: "    3 | text" and a caret below the column, which counts
// bytes.
std::string shown_line(std::string_view text, const Message &message) {
  const std::string number = std::to_string(message.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string out = nexus_plugin::join(margin, number, " | ", text, "\n");
  if (message.column < 1) return out;
  out += std::string(margin.size() + number.size(), ' ') + " | ";
  for (const char c : text.substr(0, static_cast<std::size_t>(message.column - 1))) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80;  // in UTF-8
    if (!continues) out += c == '\t' ? '\t' : ' ';
  }
  return out + "^\n";
}

}  // namespace

std::string with_source_lines(std::string_view words, std::string_view name,
                              std::string_view source) {
  const Lines lines = find_lines(name, source);
  std::string out;
  while (!words.empty()) {
    const std::string_view line = take_line(words);
    out += line;
    out += '\n';
    const std::optional<Message> message = read_message(line);
    if (!message || has_caret(words)) continue;
    const auto found = lines.find({message->file, message->line});
    if (found != lines.end()) out += shown_line(found->second, *message);
  }
  return out;
}

}  // namespace nexus_cpu
