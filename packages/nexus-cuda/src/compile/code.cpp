// SPDX-License-Identifier: Apache-2.0
#include "compile/code.hpp"

#include "driver/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/kernel/elf_form.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

namespace elf = nexus_plugin::elf;

constexpr uint16_t kCudaMachine = 190, kRelocatable = 1;
constexpr uint32_t kSymbolTable = 2;    // Section::type
constexpr unsigned char kNewFlags = 8;  // first ELF ABI version with the architecture in bits 8-15
constexpr std::size_t kAbiVersionAt = 8;  // in ident
constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr uint32_t kBitcodeMagic = 0xDEC04342, kWrappedBitcodeMagic = 0x0B17C0DE;
constexpr uint32_t kLtoMagic = 0x7F4E43ED;  // of NVRTC's LTO-IR
constexpr std::string_view kArchiveMagic = "!<arch>\n";

// The texts of each CodeFormat, in the order of the enum.
constexpr struct {
  const char *name, *title;
} kFormatTexts[] = {{"unknown", "of no known format"},
                    {"cubin", "a cubin"},
                    {"cubin", "a relocatable cubin"},
                    {"fatbin", "a fatbin"},
                    {"ptx", "PTX"},
                    {"ltoir", "LTO-IR"},
                    {"nvvm", "NVVM IR"},
                    {"object", "an object file of the host"},
                    {"archive", "a static library"}};

struct FatbinHead {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;  // without the header
};
static_assert(sizeof(FatbinHead) == 16);

struct FatbinEntry {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t size;  // without the header
};
static_assert(sizeof(FatbinEntry) == 16);

template <class T>
bool read_at(std::string_view bytes, uint64_t offset, T &out) noexcept {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

// Returns the struct at an offset; zeros if it is not within the bytes.
template <class Struct>
Struct struct_at(std::string_view bytes, uint64_t offset) noexcept {
  Struct out{};
  (void)read_at(bytes, offset, out);
  return out;
}

bool inside(uint64_t offset, uint64_t count, uint64_t size) noexcept {
  return offset <= size && count <= size - offset;
}

bool is_whole_cubin(std::string_view bytes) noexcept {
  elf::Header head{};
  if (!read_at(bytes, 0, head)) return false;
  const uint64_t sections = uint64_t{head.section_count} * head.section_size;
  if (head.section_size != sizeof(elf::Section) || head.section_count == 0 ||
      !inside(head.section_offset, sections, bytes.size()) ||
      !inside(head.program_offset, uint64_t{head.program_count} * head.program_size,
              bytes.size())) {
    return false;
  }
  for (uint16_t i = 0; i < head.section_count; ++i) {
    const auto section =
        struct_at<elf::Section>(bytes, head.section_offset + uint64_t{i} * sizeof(elf::Section));
    if (section.type != 0 && section.type != elf::kNoBits &&
        !inside(section.offset, section.size, bytes.size())) {
      return false;
    }
  }
  return true;
}

bool is_whole_fatbin(std::string_view bytes) noexcept {
  FatbinHead head{};
  if (!read_at(bytes, 0, head) || head.header_size < sizeof(head) ||
      !inside(head.header_size, head.size, bytes.size())) {
    return false;
  }
  const uint64_t end = head.header_size + head.size;
  for (uint64_t at = head.header_size; at < end;) {
    FatbinEntry entry{};
    if (!read_at(bytes.substr(0, end), at, entry) || entry.header_size < sizeof(entry) ||
        !inside(at + entry.header_size, entry.size, end)) {
      return false;
    }
    at += entry.header_size + entry.size;
  }
  return true;
}

// Returns the text from its first statement on, without the blanks and comments before.
std::string_view first_statement(std::string_view text) noexcept {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool line = text.starts_with("//") || text.starts_with(';');
    const bool block = text.starts_with("/*");
    if (!line && !block) return text;
    const std::size_t end = line ? text.find('\n') : text.find("*/");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (line ? 1 : 2));
  }
}

CodeFormat format_of_text(std::string_view text) noexcept {
  const std::size_t end = text.find('\0');  // only the end of a text may have zeros
  if (end != text.npos && text.find_first_not_of('\0', end) != text.npos) {
    return CodeFormat::kUnknown;
  }
  if (first_statement(text).starts_with(".version")) return CodeFormat::kPtx;
  const bool for_gpus = text.find("target triple") != std::string_view::npos &&
                        text.find("nvptx") != std::string_view::npos;
  return for_gpus ? CodeFormat::kNvvmIr : CodeFormat::kUnknown;
}

CodeFormat format_of_elf(std::string_view bytes) noexcept {
  elf::Header head{};
  if (!read_at(bytes, 0, head)) return CodeFormat::kCubin;  // cut short
  if (head.machine != kCudaMachine) return CodeFormat::kHostObject;
  return head.type == kRelocatable ? CodeFormat::kRelocatableCubin : CodeFormat::kCubin;
}

std::string_view bytes_of(std::string_view cubin, const elf::Section &section) {
  if (section.offset > cubin.size()) return {};
  return cubin.substr(section.offset, section.size);
}

// ---- Names of kernels --------------------------------------------------

// A table has a line "<prefix><expression> = <symbol>" for each name. In binary code its size
// follows, 8 bytes in the host's byte order, and then the mark.
constexpr std::string_view kLinePrefix = "// nexus name: ";
constexpr std::string_view kBetween = " = ";
constexpr std::string_view kMark = "nexus.name.table";

// Moves the last line of a text to names. Returns false if it is no line of a table.
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

// Returns whether a C++ symbol is a function of that name, in no namespace and no template.
bool is_plain_function(std::string_view symbol, std::string_view name) {
  const std::string prefix = join("_Z", name.size(), name);
  return symbol.size() > prefix.size() && symbol.starts_with(prefix) &&
         symbol[prefix.size()] != 'I';
}

}  // namespace

CodeFormat format_of(std::string_view bytes) noexcept {
  if (bytes.starts_with("\177ELF")) return format_of_elf(bytes);
  if (bytes.starts_with(kArchiveMagic)) return CodeFormat::kArchive;
  uint32_t magic = 0;
  (void)read_at(bytes, 0, magic);
  switch (magic) {
    case kFatbinMagic:
      return CodeFormat::kFatbin;
    case kLtoMagic:
      return CodeFormat::kLtoIr;
    case kBitcodeMagic:
    case kWrappedBitcodeMagic:
      return CodeFormat::kNvvmIr;
    default:
      return format_of_text(bytes);
  }
}

const char *format_name(CodeFormat format) noexcept {
  return kFormatTexts[static_cast<std::size_t>(format)].name;
}

const char *format_title(CodeFormat format) noexcept {
  return kFormatTexts[static_cast<std::size_t>(format)].title;
}

std::string why_cut_short(std::string_view bytes) {
  const CodeFormat format = format_of(bytes);
  const bool cubin = format == CodeFormat::kCubin || format == CodeFormat::kRelocatableCubin;
  if (cubin ? is_whole_cubin(bytes) : format != CodeFormat::kFatbin || is_whole_fatbin(bytes)) {
    return {};
  }
  return join("cut short or damaged: parts of it lie behind its ", bytes.size(),
              " bytes; copy or build it again");
}

int architecture_of_cubin(std::string_view bytes) noexcept {
  elf::Header head{};
  if (!read_at(bytes, 0, head)) return 0;
  const uint32_t flags = head.ident[kAbiVersionAt] >= kNewFlags ? head.flags >> 8 : head.flags;
  return static_cast<int>(flags & 0xff);
}

std::vector<std::string> symbols_defined_by(std::string_view cubin) {
  std::vector<std::string> found;
  const auto head = struct_at<elf::Header>(cubin, 0);
  const uint64_t table = head.section_offset;
  for (uint64_t i = 0; i < head.section_count; ++i) {
    const auto section = struct_at<elf::Section>(cubin, table + i * sizeof(elf::Section));
    if (section.type != kSymbolTable) continue;
    const std::string_view symbols = bytes_of(cubin, section);
    const auto name_section =
        struct_at<elf::Section>(cubin, table + uint64_t{section.link} * sizeof(elf::Section));
    const std::string_view names = bytes_of(cubin, name_section);
    for (uint64_t at = 0; at + sizeof(elf::Symbol) <= symbols.size(); at += sizeof(elf::Symbol)) {
      const auto symbol = struct_at<elf::Symbol>(symbols, at);
      const bool defines = symbol.section != elf::kUndefined &&
                           (symbol.type() == elf::kObject || symbol.type() == elf::kFunction);
      if (!defines || symbol.binding() != elf::kGlobal || symbol.name >= names.size()) continue;
      const std::string_view name = names.substr(symbol.name);
      found.emplace_back(name.substr(0, name.find('\0')));
    }
  }
  return found;
}

std::string with_names(std::string code, const NameTable &names) {
  if (names.empty()) return code;
  std::string lines;
  for (const auto &[expression, symbol] : names) {
    lines += join(kLinePrefix, expression, kBetween, symbol, "\n");
  }
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
  std::string only;
  for (const std::string &symbol : symbols) {
    if (!is_plain_function(symbol, name)) continue;
    if (!only.empty()) return {};
    only = symbol;
  }
  return only;
}

std::string name_of_symbol(std::string_view symbol, const NameTable &names) {
  for (const auto &[expression, of] : names) {
    if (of == symbol) return expression;
  }
  return std::string(symbol);
}

}  // namespace nexus_cuda
