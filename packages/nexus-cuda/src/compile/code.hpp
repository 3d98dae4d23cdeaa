// SPDX-License-Identifier: Apache-2.0
// Recognizes the format of code to load or link from its bytes, and checks that it is complete:
// the driver takes an address without a length, and trusts what it finds there.
#ifndef NEXUS_CUDA_CODE_HPP_
#define NEXUS_CUDA_CODE_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/kernel/name_table.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

enum class CodeFormat {
  kUnknown,
  kCubin,             // machine code of one architecture, an ELF file
  kRelocatableCubin,  // a piece of it, which is to be linked
  kFatbin,            // several of the others in one
  kPtx,               // the virtual machine's text, which the driver compiles
  kLtoIr,             // what is optimized when it is linked
  kNvvmIr,            // LLVM's, as text or bitcode
  kHostObject,        // an ELF file for the host's processor, which may have code for GPUs in it
  kArchive,           // a static library of such files
};

CodeFormat format_of(std::string_view bytes) noexcept;

// "cubin", "fatbin", "ptx", ...
const char *format_name(CodeFormat format) noexcept;

// For people: "a cubin".
const char *format_title(CodeFormat format) noexcept;

// Why the bytes can't be all of their format, for a sentence's end; empty where they may be.
std::string why_cut_short(std::string_view bytes);

// The architecture that a cubin is for, such as 90; 0 where it does not say.
int architecture_of_cubin(std::string_view bytes) noexcept;

// The functions and variables that a cubin defines for others too, and that may be defined once.
// The cubin is whole (why_cut_short).
std::vector<std::string> symbols_defined_by(std::string_view cubin);

using nexus_plugin::name_of_symbol;
using nexus_plugin::NamedCode;
using nexus_plugin::NameTable;
using nexus_plugin::symbol_of_name;

// Code with a table of names behind it, PTX with one in comments.
std::string with_names(std::string code, const NameTable &names);

// Parts what with_names put together; of PTX, the code is all of it.
NamedCode split_names(std::string_view code);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CODE_HPP_
