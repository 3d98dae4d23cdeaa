// SPDX-License-Identifier: Apache-2.0
// Programs of the portable language as the backend compiles them, and what is known of their
// kernels.
//
// Metal keeps a program's text as its code: the system caches what it compiles. So compiled code is
// the text, behind lines that say how it is compiled and what its kernels take:
//
//   //nexus-metal 1 <checksum of the rest>
//   //options <fast math: 0 or 1> <language version>
//   //kernel <name> <x> <y> <z> [<kind> <data type> <size> <read only>]...
//   //text
//
// The numbers after the name are the group size that the kernel requires, or 0.
#ifndef NEXUS_METAL_KERNEL_DESCRIPTION_HPP_
#define NEXUS_METAL_KERNEL_DESCRIPTION_HPP_

#include "device/device.hpp"

#include <nexus-plugin/kernel/kernel.hpp>
#include <optional>

namespace nexus_metal NXS_HIDDEN {

struct DescribedArgument {
  nxs_argument_kind kind;
  nxs_data_type data_type;  // of the scalar, or of what is pointed to
  uint64_t size;            // bytes of a scalar
  bool read_only;           // points to const
};

// The program's description of a kernel; Metal provides the names.
struct KernelDescription {
  std::string name;
  std::optional<Size3> group_size;
  std::vector<DescribedArgument> arguments;
};

struct ProgramText {
  bool fast_math = false;
  NSUInteger language = MTLLanguageVersion3_0;
  std::vector<KernelDescription> kernels;
  std::string source;
};

bool is_program_text(std::string_view bytes);
std::string write_program(const ProgramText &program);
// Throws NXS_InvalidBinary if the bytes were cut or changed, or are of another version.
ProgramText read_program(std::string_view bytes);

// What nexus-kernel/metal.h names the kernels that describe others.
inline constexpr std::string_view kDescribes = "nexus_describe_";

// Compiles. error: gets the compiler's output, even on success. Returns an empty library if it
// refuses. Under a Pool.
Owned build_library(const Device &device, const ProgramText &program, std::string &log);

// The names of a library's kernels, in alphabetical order, without those that describe others.
// Under a Pool.
std::vector<std::string> kernel_names(id library);
// Runs the kernels of a library that describe others. Under a Pool.
std::vector<KernelDescription> describe_kernels(const Device &device, id library);

}  // namespace nexus_metal

#endif  // NEXUS_METAL_KERNEL_DESCRIPTION_HPP_
