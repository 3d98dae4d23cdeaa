// SPDX-License-Identifier: Apache-2.0
#include "cubin.hpp"

#include "elf_writer.hpp"
#include "form.hpp"

#include <map>
#include <stdexcept>

namespace simulated_kernels {
namespace {

constexpr unsigned char kAbiVersion = 7;      // of CUDA 12: the architecture is the lowest byte
constexpr uint32_t kLtoIrMagic = 0x7f4e43ed;  // what LTO-IR begins with
}  // namespace

std::string cubin_of(const Code &code) {
  ElfFile file;
  std::string names(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  for (const std::string &kernel : code.kernels) {
    const Elf64_Shdr text = section_of(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_other = 0x10;  // an entry
    symbol.st_size = kAlignment;
    symbol.st_shndx = file.add(".text." + kernel, text, std::string(kAlignment, '\0'));
    names += kernel + '\0';
    append(symbols, symbol);
  }
  const uint16_t strings = file.add(".strtab", section_of(SHT_STRTAB), names);
  Elf64_Shdr table = section_of(SHT_SYMTAB);
  table.sh_link = strings;
  table.sh_info = 1;  // the first that is not local
  table.sh_entsize = sizeof(Elf64_Sym);
  file.add(".symtab", table, symbols);
  file.add(NEXUS_SIMULATED_SECTION, section_of(SHT_PROGBITS), code.object);
  constexpr unsigned char kSystem = 0x33;  // that of CUDA
  return file.finish({kSystem, kAbiVersion,
                      static_cast<uint16_t>(code.relocatable ? ET_REL : ET_EXEC), kCudaMachine,
                      static_cast<uint32_t>(code.architecture | code.architecture << 16)});
}

std::string ptx_of(const Code &code, int ptx_version) {
  std::string text = "//\n// Made for a simulated driver\n//\n.version " +
                     std::to_string(ptx_version / 10) + "." + std::to_string(ptx_version % 10) +
                     "\n.target sm_" + std::to_string(code.architecture) + "\n.address_size 64\n";
  for (const std::string &kernel : code.kernels) {
    text += "\n.visible .entry " + kernel + "()\n{\n\tret;\n}\n";
  }
  return text + kPayload + to_hex(code.object) + "\n";
}

std::string lto_ir_of(const Code &code) {
  std::string bytes;
  append(bytes, kLtoIrMagic);
  append(bytes, code.architecture);
  return bytes + code.object;
}

std::string object_in(const std::string &bytes) {
  if (bytes.size() > 8 && std::memcmp(bytes.data(), &kLtoIrMagic, 4) == 0) return bytes.substr(8);
  if (!bytes.starts_with(ELFMAG)) return object_in_ptx(bytes);
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  const bool whole = header.e_machine == kCudaMachine &&
                     bytes.size() >= header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
  std::string object;
  if (!whole) return object;
  for_each_section(bytes.data(), [&](const std::string &name, std::string_view content) {
    if (name == NEXUS_SIMULATED_SECTION) object = content;
  });
  return object;
}

std::vector<std::string> kernels_in(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto *image =
      static_cast<const nexus_simulated_image *>(dlsym(library, "nexus_simulated_image"));
  std::multimap<unsigned, std::string> ordered;
  const std::vector<std::string> found =
      image == nullptr ? std::vector<std::string>() : kernel_names(*image);
  for (size_t i = 0; i < found.size(); ++i) ordered.emplace(image->begin[i]->index, found[i]);
  dlclose(library);
  std::vector<std::string> names;
  for (const auto &[index, name] : ordered) names.push_back(name);
  return names;
}

}  // namespace simulated_kernels
