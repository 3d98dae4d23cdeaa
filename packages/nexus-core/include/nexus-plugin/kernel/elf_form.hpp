// SPDX-License-Identifier: Apache-2.0
//
// The structs and numbers of 64-bit ELF files, declared here since not every system has <elf.h>.
#ifndef NEXUS_PLUGIN_ELF_FORM_HPP_
#define NEXUS_PLUGIN_ELF_FORM_HPP_

#include <array>
#include <cstdint>

namespace nexus_plugin __attribute__((visibility("hidden"))) {

  namespace elf {

  struct Header {
    std::array<unsigned char, 16> ident;
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, program_offset, section_offset;
    uint32_t flags;
    uint16_t header_size, program_size, program_count, section_size, section_count, names;
  };
  static_assert(sizeof(Header) == 64);

  struct Segment {
    uint32_t type, flags;
    uint64_t offset, address, physical_address, file_size, memory_size, alignment;
  };
  static_assert(sizeof(Segment) == 56);

  struct Section {
    uint32_t name, type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t alignment, entry_size;
  };
  static_assert(sizeof(Section) == 64);

  struct Symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;

    unsigned type() const { return info & 15U; }
    unsigned binding() const { return info >> 4U; }
    unsigned visibility() const { return other & 3U; }
  };
  static_assert(sizeof(Symbol) == 24);

  struct Relocation {
    uint64_t offset;
    uint32_t type, symbol;
    uint64_t addend;
  };
  static_assert(sizeof(Relocation) == 24);

  // An entry of the dynamic section.
  struct Entry {
    uint64_t tag, value;
  };

  inline constexpr uint16_t kX86 = 62, kAarch64 = 183;  // Header::machine
  inline constexpr uint16_t kShared = 3;                // Header::type
  // Segment::type and ::flags
  inline constexpr uint32_t kLoad = 1, kDynamic = 2, kNote = 4, kProgramHeaders = 6, kThread = 7;
  inline constexpr uint32_t kUnwinding = 0x6474e550, kRelro = 0x6474e552, kProperty = 0x6474e553;
  inline constexpr uint32_t kExecutable = 1, kWritable = 2, kReadable = 4;
  // Section::type and ::flags
  inline constexpr uint32_t kRelocations = 4, kHashTable = 5, kDynamicSection = 6, kNoBits = 8;
  inline constexpr uint32_t kDynamicSymbols = 11, kInitArray = 14, kFiniArray = 15;
  inline constexpr uint32_t kGnuHashTable = 0x6ffffff6, kVersionDefinitions = 0x6ffffffd;
  inline constexpr uint32_t kVersionNeeds = 0x6ffffffe, kSymbolVersions = 0x6fffffff;
  inline constexpr uint64_t kWritten = 1, kAllocated = 2, kInstructions = 4, kThreadLocal = 0x400;
  // Symbol::section, ::type() and ::binding()
  inline constexpr uint16_t kUndefined = 0, kReserved = 0xff00, kAbsolute = 0xfff1;
  inline constexpr unsigned kObject = 1, kFunction = 2, kThreadVariable = 6, kResolved = 10;
  inline constexpr unsigned kGlobal = 1, kWeak = 2;

  // Entry::tag
  namespace tag {
  inline constexpr uint64_t kEnd = 0, kNeeded = 1, kPltSize = 2, kPltGot = 3, kHash = 4;
  inline constexpr uint64_t kStrings = 5, kSymbols = 6, kRela = 7, kRelaSize = 8, kRelaEntry = 9;
  inline constexpr uint64_t kStringsSize = 10, kSymbolEntry = 11, kInit = 12, kFini = 13;
  inline constexpr uint64_t kName = 14, kRpath = 15, kRel = 17, kPltType = 20, kPlt = 23;
  inline constexpr uint64_t kInitArray = 25, kFiniArray = 26, kInitSize = 27, kFiniSize = 28;
  inline constexpr uint64_t kRunPath = 29, kFlags = 30, kRelrSize = 35, kRelr = 36, kRelrEntry = 37;
  inline constexpr uint64_t kGnuHash = 0x6ffffef5, kVersions = 0x6ffffff0;
  inline constexpr uint64_t kRelaCount = 0x6ffffff9, kDefined = 0x6ffffffc;
  inline constexpr uint64_t kDefinedCount = 0x6ffffffd, kNeeds = 0x6ffffffe;
  inline constexpr uint64_t kNeedsCount = 0x6fffffff;
  inline constexpr uint64_t kAuxiliary = 0x7ffffffd, kFilter = 0x7fffffff;
  }  // namespace tag

  }  // namespace elf

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ELF_FORM_HPP_
