// SPDX-License-Identifier: Apache-2.0
#include "compile/code.hpp"

#include "driver/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/kernel/elf_file.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

namespace elf = nexus_plugin::elf;
using elf::inside;
using elf::read_at;

constexpr uint16_t kCudaMachine = 190, kRelocatable = 1;
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
  if (cubin ? elf::is_whole(bytes) : format != CodeFormat::kFatbin || is_whole_fatbin(bytes)) {
    return {};
  }
  return join("truncated or damaged: parts of it lie beyond its ", bytes.size(),
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
  elf::each_symbol(cubin, elf::kSymbolTable, [&](std::string_view name, const auto &symbol) {
    const bool defines = symbol.section != elf::kUndefined &&
                         (symbol.type() == elf::kObject || symbol.type() == elf::kFunction);
    // Weak ones may be there twice.
    if (defines && symbol.binding() == elf::kGlobal) found.emplace_back(name);
  });
  return found;
}

std::string with_names(std::string code, const NameTable &names) {
  if (names.empty() || format_of(code) != CodeFormat::kPtx) {
    return nexus_plugin::with_names(std::move(code), names);
  }
  code.erase(code.find_last_not_of('\0') + 1);
  return code + "\n" + nexus_plugin::name_lines(names);
}

NamedCode split_names(std::string_view code) {
  if (format_of(code) != CodeFormat::kPtx) return nexus_plugin::split_names(code);
  return {code, nexus_plugin::read_name_lines(code)};
}

}  // namespace nexus_cuda
