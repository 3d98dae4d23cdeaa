// SPDX-License-Identifier: Apache-2.0
// Recognizes the format of code from its bytes, and checks that it is complete: the driver takes
// code as an address without a length, and reads as far as its headers say.
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
  kRelocatableCubin,  // machine code that must be linked before it is loaded
  kFatbin,            // several cubins and PTX in one file
  kPtx,               // text for a virtual GPU, which the driver compiles
  kLtoIr,             // code that is optimized when it is linked
  kNvvmIr,            // LLVM IR for GPUs, as text or bitcode
  kHostObject,        // an ELF file for the host's processor, which may contain code for GPUs
  kArchive,           // a static library of such files
};

CodeFormat format_of(std::string_view bytes) noexcept;

// Returns "cubin", "fatbin", "ptx", ...
const char *format_name(CodeFormat format) noexcept;

// Returns the format for a sentence, such as "a cubin".
const char *format_title(CodeFormat format) noexcept;

// Returns why code of its format is incomplete, for the end of a sentence; empty if it is complete.
std::string why_cut_short(std::string_view bytes);

// Returns the architecture that a cubin is for, such as 90; 0 if it does not say.
int architecture_of_cubin(std::string_view bytes) noexcept;

// Returns the global functions and variables that a complete cubin defines, without weak ones,
// which several cubins may define.
std::vector<std::string> symbols_defined_by(std::string_view cubin);

using nexus_plugin::name_of_symbol;
using nexus_plugin::NamedCode;
using nexus_plugin::NameTable;
using nexus_plugin::symbol_of_name;

// Appends a table to code, in PTX as comments. Returns the code unchanged if the table is empty.
std::string with_names(std::string code, const NameTable &names);

// Splits what with_names() made. PTX still contains the table.
NamedCode split_names(std::string_view code);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CODE_HPP_
