// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <array>
#include <cstdint>
#include <nexus-plugin/binary_check.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::ByteSource;

// Of ELF-64 and Mach-O-64, what binary_check.hpp does not need.
struct ElfSection {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entry_size;
};
static_assert(sizeof(ElfSection) == 64);

struct ElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
static_assert(sizeof(ElfSymbol) == 24);

struct MachSymbolTable {
  uint32_t command, size, symbols, symbol_count, strings, strings_size;
};

struct MachSymbol {
  uint32_t name;
  uint8_t type, section;
  uint16_t description;
  uint64_t value;
};
static_assert(sizeof(MachSymbol) == 16);

std::string_view text_at(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(offset));
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

void read_elf_symbol(const ElfSymbol &symbol, std::string_view name, Symbols &out) {
  constexpr unsigned kObject = 1, kFunction = 2, kResolved = 10;  // the last: one of several clones
  constexpr unsigned kGlobal = 1, kWeak = 2;
  const unsigned binding = symbol.info >> 4;
  const unsigned type = symbol.info & 15U;
  const bool shown = (symbol.other & 3U) == 0 && (binding == kGlobal || binding == kWeak);
  if (symbol.section == 0 || !shown || name.empty() || name == "_init" || name == "_fini") return;
  if (type == kFunction || type == kResolved) out.functions.emplace_back(name);
  if (type == kObject) out.objects.emplace_back(name);
}

Symbols read_elf(std::string_view bytes) {
  constexpr uint32_t kDynamicSymbols = 11;
  Symbols found;
  ByteSource source(bytes.data(), bytes.size());
  nexus_plugin::binary_detail::ElfHeader header{};
  if (!source.readAs(0, &header) || header.section_size != sizeof(ElfSection)) return found;
  for (uint64_t i = 0; i < header.section_count; ++i) {
    ElfSection table{};
    ElfSection strings{};
    if (!source.readAs(header.section_offset + i * sizeof(table), &table)) return found;
    if (table.type != kDynamicSymbols) continue;
    if (!source.readAs(header.section_offset + uint64_t{table.link} * sizeof(strings), &strings)) {
      return found;
    }
    const uint64_t count = table.size / sizeof(ElfSymbol);
    for (uint64_t s = 0; s < count; ++s) {
      ElfSymbol symbol{};
      if (!source.readAs(table.offset + s * sizeof(symbol), &symbol)) return found;
      read_elf_symbol(symbol, text_at(bytes, strings.offset + symbol.name), found);
    }
  }
  return found;
}

// Mach-O does not tell functions from variables here: each is listed as both.
Symbols read_mach(std::string_view bytes) {
  constexpr uint32_t kSymbolTable = 2;
  constexpr unsigned kExternal = 1, kTypeMask = 0x0e, kInSection = 0x0e;
  Symbols found;
  found.told_apart = false;
  ByteSource source(bytes.data(), bytes.size());
  nexus_plugin::binary_detail::MachHeader header{};
  if (!source.readAs(0, &header)) return found;
  uint64_t at = sizeof(header);
  for (uint32_t i = 0; i < header.command_count; ++i) {
    MachSymbolTable table{};
    if (!source.readAs(at, &table) || table.size == 0) return found;
    at += table.size;
    if (table.command != kSymbolTable) continue;
    for (uint32_t s = 0; s < table.symbol_count; ++s) {
      MachSymbol symbol{};
      if (!source.readAs(table.symbols + uint64_t{s} * sizeof(symbol), &symbol)) return found;
      if ((symbol.type & kExternal) == 0 || (symbol.type & kTypeMask) != kInSection) continue;
      const std::string_view name = text_at(bytes, uint64_t{table.strings} + symbol.name);
      if (name.size() < 2 || name.front() != '_') continue;
      found.functions.emplace_back(name.substr(1));
      found.objects.emplace_back(name.substr(1));
    }
  }
  return found;
}

}  // namespace

Symbols read_symbols(std::string_view bytes) {
  return bytes.substr(0, 4) == "\177ELF" ? read_elf(bytes) : read_mach(bytes);
}

}  // namespace nexus_cpu
