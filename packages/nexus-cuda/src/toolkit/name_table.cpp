// SPDX-License-Identifier: Apache-2.0
#include "toolkit/name_table.hpp"

#include "toolkit/code_format.hpp"

#include <algorithm>
#include <cstring>
#include <nexus-plugin/text.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::join;

// A table: a line "<prefix><expression> = <symbol>" each. Behind binary code it is followed by its
// size, 8 bytes as the machine has them, and by the mark.
constexpr std::string_view kLinePrefix = "// nexus name: ";
constexpr std::string_view kBetween = " = ";
constexpr std::string_view kMark = "nexus.name.table";

std::string lines_of(const NameTable &names) {
  std::string lines;
  for (const auto &[expression, symbol] : names) {
    lines += join(kLinePrefix, expression, kBetween, symbol, "\n");
  }
  return lines;
}

// Takes the last line with a name off a text; false where it ends with none.
bool take_last_line(std::string_view &text, NameTable &names) {
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

NameTable read_lines(std::string_view text) {
  NameTable names;
  while (take_last_line(text, names)) {
  }
  return names;
}

std::string without_blanks(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

// Returns whether a C++ symbol is of a function of this name that is no template and in no
// namespace.
bool is_plain_function(std::string_view symbol, std::string_view name) {
  const std::string prefix = join("_Z", name.size(), name);
  return symbol.size() > prefix.size() && symbol.starts_with(prefix) &&
         symbol[prefix.size()] != 'I';
}

std::string only_match(const std::vector<std::string> &symbols, std::string_view name) {
  const auto matches = [name](const std::string &symbol) {
    return is_plain_function(symbol, name);
  };
  const auto first = std::find_if(symbols.begin(), symbols.end(), matches);
  const bool once =
      first != symbols.end() && std::find_if(first + 1, symbols.end(), matches) == symbols.end();
  return once ? *first : std::string();
}

}  // namespace

std::string with_names(std::string code, const NameTable &names) {
  if (names.empty()) return code;
  const std::string lines = lines_of(names);
  if (format_of(code) == CodeFormat::kPtx) {
    code.erase(code.find_last_not_of('\0') + 1);
    return code + "\n" + lines;
  }
  const uint64_t size = lines.size();
  char bytes[sizeof(size)];
  std::memcpy(bytes, &size, sizeof(size));
  code += lines;
  code.append(bytes, sizeof(bytes));
  code += kMark;
  return code;
}

NamedCode split_names(std::string_view code) {
  uint64_t size = 0;
  constexpr std::size_t kEnd = kMark.size() + sizeof(size);
  if (code.size() < kEnd || !code.ends_with(kMark)) {
    const bool text = format_of(code) == CodeFormat::kPtx;
    return {code, text ? read_lines(code) : NameTable()};
  }
  std::string_view rest = code.substr(0, code.size() - kEnd);
  std::memcpy(&size, code.data() + rest.size(), sizeof(size));
  if (size > rest.size()) return {code, {}};
  const std::string_view lines = rest.substr(rest.size() - static_cast<std::size_t>(size));
  return {rest.substr(0, rest.size() - lines.size()), read_lines(lines)};
}

std::string symbol_of_name(std::string_view name, const NameTable &names,
                           const std::vector<std::string> &symbols) {
  if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) return std::string(name);
  const std::string asked = without_blanks(name);
  for (const auto &[expression, symbol] : names) {
    if (without_blanks(expression) == asked) return symbol;
  }
  return only_match(symbols, name);
}

std::string name_of_symbol(std::string_view symbol, const NameTable &names) {
  for (const auto &[expression, of] : names) {
    if (of == symbol) return expression;
  }
  return std::string(symbol);
}

}  // namespace nexus_cuda
