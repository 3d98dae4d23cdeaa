// SPDX-License-Identifier: Apache-2.0
#include "objects/symbols.hpp"

#include <array>
#include <cstdint>
#include <nexus-plugin/binary_check.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::ByteSource;
namespace elf = nexus_plugin::elf;

// The structures of 64-bit Mach-O that binary_check.hpp lacks.
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

void read_elf_symbol(const elf::Symbol &symbol, std::string_view name, Symbols &out) {
  const unsigned type = symbol.type();
  const bool shown = symbol.visibility() == 0 &&
                     (symbol.binding() == elf::kGlobal || symbol.binding() == elf::kWeak);
  if (symbol.section == 0 || !shown || name.empty() || name == "_init" || name == "_fini") return;
  // kResolved: a function with several clones, one of which the loader chooses.
  if (type == elf::kFunction || type == elf::kResolved) out.functions.emplace_back(name);
  if (type == elf::kObject) out.objects.emplace_back(name);
}

Symbols read_elf(std::string_view bytes) {
  Symbols found;
  ByteSource source(bytes.data(), bytes.size());
  elf::Header header{};
  if (!source.readAs(0, &header) || header.section_size != sizeof(elf::Section)) return found;
  for (uint64_t i = 0; i < header.section_count; ++i) {
    elf::Section table{};
    elf::Section strings{};
    if (!source.readAs(header.section_offset + i * sizeof(table), &table)) return found;
    if (table.type != elf::kDynamicSymbols) continue;
    if (!source.readAs(header.section_offset + uint64_t{table.link} * sizeof(strings), &strings)) {
      return found;
    }
    const uint64_t count = table.size / sizeof(elf::Symbol);
    for (uint64_t s = 0; s < count; ++s) {
      elf::Symbol symbol{};
      if (!source.readAs(table.offset + s * sizeof(symbol), &symbol)) return found;
      read_elf_symbol(symbol, text_at(bytes, strings.offset + symbol.name), found);
    }
  }
  return found;
}

// Mach-O's symbol table does not distinguish functions from variables: each is listed as both.
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
