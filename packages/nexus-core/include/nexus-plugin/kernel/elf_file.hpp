// SPDX-License-Identifier: Apache-2.0
// Code for a device in an ELF file: its sections, symbols and whether it is whole. Unlike Image,
// this reads no segments, and nothing here throws for damaged bytes.
#ifndef NEXUS_PLUGIN_ELF_FILE_HPP_
#define NEXUS_PLUGIN_ELF_FILE_HPP_

#include <nexus-plugin/kernel/elf_form.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nexus_plugin __attribute__((visibility("hidden"))) {

  namespace elf {

  inline constexpr uint32_t kSymbolTable = 2;  // Section::type

  template <class T>
  bool read_at(std::string_view bytes, uint64_t offset, T &out) noexcept {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return false;
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
  }

  // The struct at an offset; zeros where the bytes end before.
  template <class Struct>
  Struct struct_at(std::string_view bytes, uint64_t offset) noexcept {
    Struct out{};
    (void)read_at(bytes, offset, out);
    return out;
  }

  inline bool inside(uint64_t offset, uint64_t count, uint64_t size) noexcept {
    return offset <= size && count <= size - offset;
  }

  // The section of that index; zeros where the bytes end before.
  inline Section section_at(std::string_view file, uint64_t index) noexcept {
    const auto head = struct_at<Header>(file, 0);
    return struct_at<Section>(file, head.section_offset + index * sizeof(Section));
  }

  // Empty where the section has none in the file.
  inline std::string_view bytes_of(std::string_view file, const Section &section) noexcept {
    if (section.type == kNoBits || section.offset > file.size()) return {};
    return file.substr(section.offset, section.size);
  }

  // Returns whether the tables and all sections lie within the file.
  inline bool is_whole(std::string_view file) noexcept {
    Header head{};
    if (!read_at(file, 0, head)) return false;
    const uint64_t sections = uint64_t{head.section_count} * head.section_size;
    if (head.section_size != sizeof(Section) || head.section_count == 0 ||
        !inside(head.section_offset, sections, file.size()) ||
        !inside(head.program_offset, uint64_t{head.program_count} * head.program_size,
                file.size())) {
      return false;
    }
    for (uint16_t i = 0; i < head.section_count; ++i) {
      const Section section = section_at(file, i);
      if (section.type != 0 && section.type != kNoBits &&
          !inside(section.offset, section.size, file.size())) {
        return false;
      }
    }
    return true;
  }

  // Calls take(section) for each section of that type.
  template <class Take>
  void each_section(std::string_view file, uint32_t type, Take &&take) {
    const auto head = struct_at<Header>(file, 0);
    for (uint64_t i = 0; i < head.section_count; ++i) {
      const Section section = section_at(file, i);
      if (section.type == type) take(section);
    }
  }

  // Calls take(name, symbol) for each symbol of the tables of that type.
  template <class Take>
  void each_symbol(std::string_view file, uint32_t type, Take &&take) {
    each_section(file, type, [&](const Section &section) {
      const std::string_view symbols = bytes_of(file, section);
      const std::string_view names = bytes_of(file, section_at(file, section.link));
      for (uint64_t at = 0; at + sizeof(Symbol) <= symbols.size(); at += sizeof(Symbol)) {
        const auto symbol = struct_at<Symbol>(symbols, at);
        if (symbol.name >= names.size()) continue;
        const std::string_view name = names.substr(symbol.name);
        take(name.substr(0, name.find('\0')), symbol);
      }
    });
  }

  // Returns the initial content of a symbol's memory; empty if the file does not have it.
  inline std::string_view bytes_of(std::string_view file, const Symbol &symbol) noexcept {
    const auto head = struct_at<Header>(file, 0);
    if (symbol.section == kUndefined || symbol.section >= head.section_count) return {};
    const Section section = section_at(file, symbol.section);
    const std::string_view bytes = bytes_of(file, section);
    const uint64_t offset = symbol.value - section.address;  // beyond the section if it lies before
    if (!inside(offset, symbol.size, bytes.size())) return {};
    return bytes.substr(offset, symbol.size);
  }

  }  // namespace elf

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ELF_FILE_HPP_
