// SPDX-License-Identifier: Apache-2.0
#include "compile/cubin_symbols.hpp"

#include "toolkit/elf_form.hpp"

#include <cstdint>
#include <cstring>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr uint32_t kSymbolTable = 2;  // the type of a section
constexpr unsigned kGlobal = 1;       // the binding of a symbol; weak ones may be there twice
constexpr unsigned kObject = 1, kFunction = 2;

// Of the bytes at an offset; zeros where they end before.
template <class Struct>
Struct struct_at(std::string_view bytes, uint64_t offset) {
  Struct out{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(out)) {
    std::memcpy(&out, bytes.data() + offset, sizeof(out));
  }
  return out;
}

std::string_view bytes_of(std::string_view cubin, const ElfSection &section) {
  if (section.offset > cubin.size()) return {};
  return cubin.substr(section.offset, section.size);
}

bool is_defined_once(const ElfSymbol &symbol) {
  const unsigned binding = symbol.info >> 4U, type = symbol.info & 0xfU;
  return binding == kGlobal && symbol.section != 0 && (type == kObject || type == kFunction);
}

}  // namespace

std::vector<std::string> symbols_defined_by(std::string_view cubin) {
  std::vector<std::string> found;
  const auto table = struct_at<uint64_t>(cubin, 0x28);
  const auto count = struct_at<uint16_t>(cubin, 0x3c);
  for (uint64_t i = 0; i < count; ++i) {
    const auto section = struct_at<ElfSection>(cubin, table + i * sizeof(ElfSection));
    if (section.type != kSymbolTable) continue;
    const std::string_view symbols = bytes_of(cubin, section);
    const auto name_section =
        struct_at<ElfSection>(cubin, table + uint64_t{section.link} * sizeof(ElfSection));
    const std::string_view names = bytes_of(cubin, name_section);
    for (uint64_t at = 0; at + sizeof(ElfSymbol) <= symbols.size(); at += sizeof(ElfSymbol)) {
      const auto symbol = struct_at<ElfSymbol>(symbols, at);
      if (!is_defined_once(symbol) || symbol.name >= names.size()) continue;
      const std::string_view name = names.substr(symbol.name);
      found.emplace_back(name.substr(0, name.find('\0')));
    }
  }
  return found;
}

}  // namespace nexus_cuda
