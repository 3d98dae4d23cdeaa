// SPDX-License-Identifier: Apache-2.0
#include "toolkit/code_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <nexus-plugin/elf_form.hpp>
#include <nexus-plugin/text.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

namespace elf = nexus_plugin::elf;

constexpr uint16_t kCudaMachine = 190, kRelocatable = 1;
constexpr uint32_t kSymbolTable = 2;      // the type of a section
constexpr unsigned char kNewFlags = 8;    // the ELF ABI version since which flags are laid out anew
constexpr std::size_t kAbiVersionAt = 8;  // in ident
constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr uint32_t kBitcodeMagic = 0xDEC04342, kWrappedBitcodeMagic = 0x0B17C0DE;
constexpr uint32_t kLtoMagic = 0x7F4E43ED;  // of NVRTC's LTO-IR
constexpr std::string_view kArchiveMagic = "!<arch>\n";

struct FormatWords {
  const char *name, *title;
};
constexpr std::array kFormatWords = {
    FormatWords{"unknown", "of no known format"},
    FormatWords{"cubin", "a cubin"},
    FormatWords{"cubin", "a relocatable cubin"},
    FormatWords{"fatbin", "a fatbin"},
    FormatWords{"ptx", "PTX"},
    FormatWords{"ltoir", "LTO-IR"},
    FormatWords{"nvvm", "NVVM IR"},
    FormatWords{"object", "an object file of the host"},
    FormatWords{"archive", "a static library"},
};

struct FatbinHead {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;  // of what follows the header
};
static_assert(sizeof(FatbinHead) == 16);

struct FatbinEntry {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t size;  // of what follows the header
};
static_assert(sizeof(FatbinEntry) == 16);

template <class T>
bool read_at(std::string_view bytes, uint64_t offset, T &out) noexcept {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
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
    elf::Section section{};
    (void)read_at(bytes, head.section_offset + uint64_t{i} * sizeof(section), section);
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

// Text, without zeros but at its end.
bool is_code_text(std::string_view bytes) noexcept {
  const std::size_t end = bytes.find('\0');
  return end == std::string_view::npos ||
         bytes.find_first_not_of('\0', end) == std::string_view::npos;
}

// Without blanks and comments at its beginning.
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
  if (!is_code_text(text)) return CodeFormat::kUnknown;
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

const FormatWords &words_of(CodeFormat format) noexcept {
  return kFormatWords[static_cast<std::size_t>(format)];
}

// Of the bytes at an offset; zeros where they end before.
template <class Struct>
Struct struct_at(std::string_view bytes, uint64_t offset) {
  Struct out{};
  (void)read_at(bytes, offset, out);
  return out;
}

std::string_view bytes_of(std::string_view cubin, const elf::Section &section) {
  if (section.offset > cubin.size()) return {};
  return cubin.substr(section.offset, section.size);
}

bool is_defined_once(const elf::Symbol &symbol) {
  // Weak ones may be there twice.
  return symbol.binding() == elf::kGlobal && symbol.section != elf::kUndefined &&
         (symbol.type() == elf::kObject || symbol.type() == elf::kFunction);
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
  return words_of(format).name;
}

const char *format_title(CodeFormat format) noexcept {
  return words_of(format).title;
}

std::string why_cut_short(std::string_view bytes) {
  const CodeFormat format = format_of(bytes);
  const bool cubin = format == CodeFormat::kCubin || format == CodeFormat::kRelocatableCubin;
  if (cubin ? is_whole_cubin(bytes) : format != CodeFormat::kFatbin || is_whole_fatbin(bytes)) {
    return {};
  }
  return nexus_plugin::join("cut short or damaged: parts of it lie behind its ", bytes.size(),
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
      if (!is_defined_once(symbol) || symbol.name >= names.size()) continue;
      const std::string_view name = names.substr(symbol.name);
      found.emplace_back(name.substr(0, name.find('\0')));
    }
  }
  return found;
}

}  // namespace nexus_cuda
