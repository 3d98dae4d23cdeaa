// SPDX-License-Identifier: Apache-2.0
// Names of kernels by the expressions that they were asked for with: "scale<float>" for
// _Z5scaleIfEvPT_. They travel with the code, behind it, where neither the driver nor NVIDIA's
// tools look: the code stays what it is.
#ifndef NEXUS_CUDA_NAME_TABLE_HPP_
#define NEXUS_CUDA_NAME_TABLE_HPP_

#include <nexus-api/nxs.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

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

#endif  // NEXUS_CUDA_NAME_TABLE_HPP_
