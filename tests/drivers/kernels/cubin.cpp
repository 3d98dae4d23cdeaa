// SPDX-License-Identifier: Apache-2.0
#include "cubin.hpp"

#include "elf_writer.hpp"
#include "form.hpp"

#include <algorithm>

namespace simulated_kernels {
namespace {

constexpr unsigned char kAbiVersion = 7;      // of CUDA 12: the architecture is the lowest byte
constexpr uint32_t kLtoIrMagic = 0x7f4e43ed;  // what LTO-IR begins with

// In PTX: an entry with the kernel's parameters, and the variable in which it describes itself.
std::string entry_of(const DescribedKernel &kernel) {
  std::string text;
  if (!kernel.description.empty()) {
    text = "\n.visible .global .align 4 .b8 nexus_kernel_" + kernel.name + "[" +
           std::to_string(kernel.description.size()) + "] = {";
    for (const char &byte : kernel.description) {
      text += (&byte == kernel.description.data() ? "" : ", ") +
              std::to_string(static_cast<unsigned char>(byte));
    }
    text += "};\n";
  }
  std::string parameters;
  for (const Parameter &each : kernel.parameters) {
    constexpr uint32_t kMost = 16;
    const uint32_t alignment =
        std::min(each.offset == 0 ? kMost : each.offset & -each.offset, kMost);
    parameters += (parameters.empty() ? "\n\t.param " : ",\n\t.param ") +
                  (each.pointer ? ".u64 .ptr .align 1 " + kernel.name + "_param"
                                : ".align " + std::to_string(alignment) + " .b8 " + kernel.name +
                                      "_param[" + std::to_string(each.size) + "]");
  }
  const std::string bound =
      kernel.max_threads == 0 ? "" : ".maxntid " + std::to_string(kernel.max_threads) + ", 1, 1\n";
  return text + "\n.visible .entry " + kernel.name + "(" + parameters + "\n)\n" + bound +
         "{\n\tret;\n}\n";
}

}  // namespace

std::string cubin_of(const Code &code) {
  ElfFile file;
  std::string names(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  for (const DescribedKernel &each : code.kernels) {
    const std::string &kernel = each.name;
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
  for (const DescribedKernel &kernel : code.kernels) text += entry_of(kernel);
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

}  // namespace simulated_kernels
