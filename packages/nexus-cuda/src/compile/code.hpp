// SPDX-License-Identifier: Apache-2.0
// Recognizes the format of code to load or link from its bytes, and checks that it is complete:
// the driver takes an address without a length, and trusts what it finds there.
#ifndef NEXUS_CUDA_CODE_HPP_
#define NEXUS_CUDA_CODE_HPP_

#include <nexus-api/nxs.h>
#include <map>
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

// ---- Names of kernels --------------------------------------------------
//
// Kernels by the expressions that they were asked for with: "scale<float>" for _Z5scaleIfEvPT_. The
// table travels behind the code, where neither the driver nor NVIDIA's tools look.

// The symbol of a kernel, by its expression.
using NameTable = std::map<std::string, std::string>;

// Code with a table behind it; the code alone where the table is empty. PTX gets it as comments.
std::string with_names(std::string code, const NameTable &names);

// Parts what with_names put together. code is the part of the text before the table, of PTX all.
struct NamedCode {
  std::string_view code;
  NameTable names;
};
NamedCode split_names(std::string_view code);

// Which of a library's symbols a caller means by a name: the symbol itself, the expression of a
// table, or the plain name of a function that is there once ("scale" for _Z5scalePf). Expressions
// are compared without blanks. Empty where it is none, or several.
std::string symbol_of_name(std::string_view name, const NameTable &names,
                           const std::vector<std::string> &symbols);

// The caller's name of a symbol: its expression, else the symbol.
std::string name_of_symbol(std::string_view symbol, const NameTable &names);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CODE_HPP_
