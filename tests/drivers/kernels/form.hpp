// SPDX-License-Identifier: Apache-2.0
//
// How a kernel's code for the host lies in what looks like code for a GPU: for those who write it
// and for the driver, which reads it.
#ifndef NEXUS_SIMULATED_FORM_HPP_
#define NEXUS_SIMULATED_FORM_HPP_

#include "simulated_kernel.h"

#include <dlfcn.h>
#include <elf.h>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace simulated_kernels {

inline constexpr uint16_t kCudaMachine = 190;         // EM_CUDA, the ELF registry
inline constexpr uint16_t kAmdMachine = 224;          // EM_AMDGPU
inline constexpr char kPayload[] = "// simulated: ";  // what the digits stand behind, in PTX
inline constexpr char kHexDigits[] = "0123456789abcdef";

inline std::string to_hex(const std::string &bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kHexDigits[byte / 16], kHexDigits[byte % 16]};
  }
  return text;
}

// The object in PTX; empty if there is none.
inline std::string object_in_ptx(const std::string &text) {
  const std::string digits = kHexDigits;
  std::string bytes;
  const size_t payload = text.find(kPayload);
  if (payload == std::string::npos) return bytes;
  for (size_t at = payload + sizeof(kPayload) - 1; at + 1 < text.size(); at += 2) {
    const size_t high = digits.find(text[at]), low = digits.find(text[at + 1]);
    if (high == std::string::npos || low == std::string::npos) break;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// Returns whether an ELF file is for the machine and has sections.
inline bool has_sections(const Elf64_Ehdr &header, uint16_t machine) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine &&
         header.e_shoff != 0 && header.e_shentsize == sizeof(Elf64_Shdr) &&
         header.e_shstrndx < header.e_shnum;
}

// Gives function the name and the content of each section of an ELF file.
template <class Function>
void for_each_section(const char *elf, Function &&function) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf, sizeof(header));
  const auto section = [&](size_t index) {
    Elf64_Shdr read;
    std::memcpy(&read, elf + header.e_shoff + index * sizeof(read), sizeof(read));
    return read;
  };
  const char *names = elf + section(header.e_shstrndx).sh_offset;
  for (size_t i = 1; i < header.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    function(std::string(names + each.sh_name),
             std::string_view(elf + each.sh_offset, each.sh_size));
  }
}

// Bytes of the arrays in local memory that a kernel of the portable language declares, by its
// description. Those of other kernels are not known to the simulation.
inline uint32_t shared_bytes(const void *description) {
  constexpr size_t kAt = 5 * sizeof(int32_t);
  int32_t bytes;
  std::memcpy(&bytes, static_cast<const char *>(description) + kAt, sizeof(bytes));
  return static_cast<uint32_t>(bytes);
}

// The names of the kernels in a shared object that is loaded.
inline std::vector<std::string> kernel_names(const nexus_simulated_image &image) {
  std::vector<std::string> names;
  for (auto *const *each = image.begin; each != image.end; ++each) {
    Dl_info info{};
    (void)dladdr(reinterpret_cast<void *>((*each)->function), &info);
    names.emplace_back(info.dli_sname == nullptr ? "" : info.dli_sname);
  }
  return names;
}

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_FORM_HPP_
