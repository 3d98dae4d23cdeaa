// SPDX-License-Identifier: Apache-2.0
// A program may ask for a kernel by a C++ expression, such as "scale<float>" for _Z5scaleIfEvPT_. A
// table of these names is appended to the code, where drivers and vendors' tools ignore it.
#ifndef NEXUS_PLUGIN_NAME_TABLE_HPP_
#define NEXUS_PLUGIN_NAME_TABLE_HPP_

#include <nexus-plugin/base/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The symbol of a kernel, by its expression.
using NameTable = std::map<std::string, std::string>;

// Code and the table that with_names() appended.
struct NamedCode {
  std::string_view code;
  NameTable names;
};

namespace detail {

// A table has a line "<prefix><expression> = <symbol>" for each name. In binary code its size
// follows, 8 bytes in the host's byte order, and then the mark.
inline constexpr std::string_view kLinePrefix = "// nexus name: ";
inline constexpr std::string_view kBetween = " = ";
inline constexpr std::string_view kNameMark = "nexus.name.table";

// Moves the last line of a text to names. Returns false if it is not a line of a table.
inline bool take_last_line(std::string_view &text, NameTable &names) {
  if (!text.ends_with('\n')) return false;
  const std::size_t before = text.rfind('\n', text.size() - 2);
  const std::size_t begin = before == std::string_view::npos || text.size() < 2 ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.size() - begin - 1);
  if (!line.starts_with(kLinePrefix)) return false;
  line.remove_prefix(kLinePrefix.size());
  const std::size_t at = line.rfind(kBetween);
  if (at == std::string_view::npos) return false;
  names.insert_or_assign(std::string(line.substr(0, at)),
                         std::string(line.substr(at + kBetween.size())));
  text = text.substr(0, begin);
  return true;
}

inline std::string without_blanks(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

// Returns whether a C++ symbol is a function of that name, in no namespace and no template.
inline bool is_plain_function(std::string_view symbol, std::string_view name) {
  const std::string prefix = join("_Z", name.size(), name);
  return symbol.size() > prefix.size() && symbol.starts_with(prefix) &&
         symbol[prefix.size()] != 'I';
}

}  // namespace detail

// A table as lines of comments, which read_name_lines() reads at the end of a text.
inline std::string name_lines(const NameTable &names) {
  std::string lines;
  for (const auto &[expression, symbol] : names) {
    lines += join(detail::kLinePrefix, expression, detail::kBetween, symbol, "\n");
  }
  return lines;
}

inline NameTable read_name_lines(std::string_view text) {
  NameTable names;
  while (detail::take_last_line(text, names)) {
  }
  return names;
}

// Appends a table to binary code. Returns the code unchanged if the table is empty.
inline std::string with_names(std::string code, const NameTable &names) {
  if (names.empty()) return code;
  const std::string lines = name_lines(names);
  const uint64_t size = lines.size();
  char bytes[sizeof(size)];
  std::memcpy(bytes, &size, sizeof(size));
  code += lines;
  code.append(bytes, sizeof(bytes));
  code += detail::kNameMark;
  return code;
}

// Parts what with_names put together.
inline NamedCode split_names(std::string_view code) {
  uint64_t size = 0;
  constexpr std::size_t kEnd = detail::kNameMark.size() + sizeof(size);
  if (code.size() < kEnd || !code.ends_with(detail::kNameMark)) return {code, {}};
  std::string_view rest = code.substr(0, code.size() - kEnd);
  std::memcpy(&size, code.data() + rest.size(), sizeof(size));
  if (size > rest.size()) return {code, {}};
  const std::string_view lines = rest.substr(rest.size() - static_cast<std::size_t>(size));
  return {rest.substr(0, rest.size() - lines.size()), read_name_lines(lines)};
}

// Returns the symbol of a library that a name stands for: the symbol itself, an expression of the
// table, compared without blanks, or the plain name of a function ("scale" for _Z5scalePf). Empty
// if there is none, or several functions have that name.
inline std::string symbol_of_name(std::string_view name, const NameTable &names,
                                  const std::vector<std::string> &symbols) {
  if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) return std::string(name);
  const std::string asked = detail::without_blanks(name);
  for (const auto &[expression, symbol] : names) {
    if (detail::without_blanks(expression) == asked) return symbol;
  }
  std::string only;
  for (const std::string &symbol : symbols) {
    if (!detail::is_plain_function(symbol, name)) continue;
    if (!only.empty()) return {};
    only = symbol;
  }
  return only;
}

// Returns the expression of a symbol; the symbol if it has none.
inline std::string name_of_symbol(std::string_view symbol, const NameTable &names) {
  for (const auto &[expression, of] : names) {
    if (of == symbol) return expression;
  }
  return std::string(symbol);
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_NAME_TABLE_HPP_
