// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_ELF_WRITER_HPP_
#define NEXUS_SIMULATED_ELF_WRITER_HPP_

#include <elf.h>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace simulated_kernels {

inline constexpr size_t kAlignment = 16;

template <class T>
void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

// What the head of an ELF file says.
struct ElfKind {
  unsigned char system, abi_version;
  uint16_t type, machine;
  uint32_t flags;
};

// An ELF file that grows by sections.
class ElfFile {
 public:
  ElfFile() : bytes_(sizeof(Elf64_Ehdr), '\0'), sections_(1) {}

  // Its index.
  uint16_t add(const std::string &name, Elf64_Shdr section, const std::string &content) {
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    section.sh_name = static_cast<uint32_t>(names_.size());
    names_ += name + '\0';
    section.sh_offset = bytes_.size();
    section.sh_size = content.size();
    section.sh_addralign = kAlignment;
    bytes_ += content;
    sections_.push_back(section);
    return static_cast<uint16_t>(sections_.size() - 1);
  }

  std::string finish(const ElfKind &kind) {
    Elf64_Shdr strings{};
    strings.sh_type = SHT_STRTAB;
    const std::string name = ".shstrtab";
    const std::string all = names_ + name + '\0';
    const uint16_t names = add(name, strings, all);
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_ident[EI_OSABI] = kind.system;
    header.e_ident[EI_ABIVERSION] = kind.abi_version;
    header.e_type = kind.type;
    header.e_machine = kind.machine;
    header.e_version = EV_CURRENT;
    header.e_flags = kind.flags;
    header.e_ehsize = sizeof(header);
    header.e_shoff = bytes_.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    header.e_shstrndx = names;
    std::memcpy(bytes_.data(), &header, sizeof(header));
    for (const Elf64_Shdr &each : sections_) append(bytes_, each);
    return bytes_;
  }

 private:
  std::string bytes_;
  std::string names_ = std::string(1, '\0');
  std::vector<Elf64_Shdr> sections_;
};

inline Elf64_Shdr section_of(uint32_t type, uint64_t flags = 0) {
  Elf64_Shdr section{};
  section.sh_type = type;
  section.sh_flags = flags;
  return section;
}

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_ELF_WRITER_HPP_
