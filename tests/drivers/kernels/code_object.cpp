// SPDX-License-Identifier: Apache-2.0
//
// Numbers are those of the "User Guide for AMDGPU Backend" of LLVM 19.
#include "code_object.hpp"

#include "elf_writer.hpp"
#include "form.hpp"

namespace simulated_kernels {
namespace {

constexpr unsigned char kHsa = 64, kVersion5 = 3;
constexpr uint32_t kMetadataNote = 32, kMostThreads = 1024;
constexpr uint64_t kDataAddress = 0x4000;

// ---- MessagePack -------------------------------------------------------

template <class Number>
std::string big_endian(char mark, Number number) {
  std::string bytes(1, mark);
  for (int shift = 8 * (static_cast<int>(sizeof(number)) - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}
std::string packed(const std::string &text) {
  return big_endian('\xda', static_cast<uint16_t>(text.size())) + text;
}
std::string packed(uint32_t number) {
  return big_endian('\xce', number);
}
std::string list_of(size_t count) {
  return big_endian('\xdc', static_cast<uint16_t>(count));
}
std::string map_of(size_t count) {
  return big_endian('\xde', static_cast<uint16_t>(count));
}
template <class Value>
std::string pair(const char *key, const Value &value) {
  return packed(std::string(key)) + packed(value);
}

// ---- The kernels -------------------------------------------------------

std::string metadata_of(const DescribedKernel &kernel, const AmdTarget &target) {
  const uint32_t arrays = kernel.description.empty() ? 0 : shared_bytes(kernel.description.data());
  std::string text = map_of(10) + packed(std::string(".args")) + list_of(kernel.parameters.size());
  for (const Parameter &each : kernel.parameters) {
    text += map_of(3) + pair(".offset", each.offset) + pair(".size", each.size) +
            pair(".value_kind", std::string(each.pointer ? "global_buffer" : "by_value"));
  }
  return text + pair(".name", kernel.name) + pair(".symbol", kernel.name + ".kd") +
         pair(".kernarg_segment_size", kernel.parameter_bytes) +
         pair(".wavefront_size", target.wave_size) +
         pair(".max_flat_workgroup_size",
              kernel.max_threads == 0 ? kMostThreads : kernel.max_threads) +
         pair(".group_segment_fixed_size", arrays) + pair(".private_segment_fixed_size", 0U) +
         pair(".vgpr_count", 32U) + pair(".sgpr_count", 16U);
}

std::string note_of(const std::string &metadata) {
  const std::string name("AMDGPU\0", 7);
  std::string note;
  append(note, static_cast<uint32_t>(name.size()));
  append(note, static_cast<uint32_t>(metadata.size()));
  append(note, kMetadataNote);
  note += name + '\0' + metadata;
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

}  // namespace

std::string code_object_of(const std::vector<DescribedKernel> &described, const std::string &code,
                           const AmdTarget &target) {
  std::string kernels, data, names(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  constexpr uint16_t kDataSection = 1;
  for (const DescribedKernel &each : described) {
    kernels += metadata_of(each, target);
    if (each.description.empty()) continue;
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = kDataSection;
    symbol.st_value = kDataAddress + data.size();
    symbol.st_size = each.description.size();
    append(symbols, symbol);
    names += "nexus_kernel_" + each.name + '\0';
    data += each.description;
  }

  ElfFile file;
  Elf64_Shdr section = section_of(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE);
  section.sh_addr = kDataAddress;
  file.add(".data", section, data);
  const std::string metadata = map_of(2) + packed(std::string("amdhsa.kernels")) +
                               list_of(described.size()) + kernels +
                               pair("amdhsa.target", "amdgcn-amd-amdhsa--" + target.name);
  file.add(".note", section_of(SHT_NOTE, SHF_ALLOC), note_of(metadata));
  section = section_of(SHT_DYNSYM, SHF_ALLOC);
  section.sh_link = file.add(".dynstr", section_of(SHT_STRTAB, SHF_ALLOC), names);
  section.sh_entsize = sizeof(Elf64_Sym);
  file.add(".dynsym", section, symbols);
  file.add(NEXUS_SIMULATED_SECTION, section_of(SHT_PROGBITS), code);
  return file.finish({kHsa, kVersion5, ET_DYN, kAmdMachine, target.flags});
}

}  // namespace simulated_kernels
