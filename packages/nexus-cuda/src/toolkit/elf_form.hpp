// SPDX-License-Identifier: Apache-2.0
// The form of ELF-64, which cubins have.
#ifndef NEXUS_CUDA_ELF_FORM_HPP_
#define NEXUS_CUDA_ELF_FORM_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>

namespace nexus_cuda NXS_HIDDEN {

struct ElfHead {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, program_offset, section_offset;
  uint32_t flags;
  uint16_t header_size, program_size, program_count, section_size, section_count, names;
};
static_assert(sizeof(ElfHead) == 64);

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

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_ELF_FORM_HPP_
