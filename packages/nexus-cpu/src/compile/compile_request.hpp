// SPDX-License-Identifier: Apache-2.0
// The checked request of nxs_compile_info, in the form of C compilers.
#ifndef NEXUS_CPU_COMPILE_REQUEST_HPP_
#define NEXUS_CPU_COMPILE_REQUEST_HPP_

#include <nexus-plugin/compile/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct CompileRequest {
  std::string_view source;  // owned by the caller
  std::string name;         // not empty; control characters are replaced by question marks
  std::string target;
  bool portable;  // in the portable language, which calls no library
  bool cxx;
  std::string standard;  // as compilers spell it
  int optimization;
  bool fast_math, debug, line_info;
  bool relocatable;                  // a piece of a program, to be linked later
  std::vector<std::string> defines;  // "NAME" or "NAME=value"
  std::vector<std::string> include_paths;
  std::vector<std::string> options;
};

// Returns whether a flag is in a list whose words are separated by blanks; one that ends with '*'
// stands for all flags with that beginning.
bool is_flag_in(std::string_view list, std::string_view flag);

// Returns the languages of programs for the CPU.
const std::vector<std::string> &compile_languages();

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue; the text
// names the parameter. Does not check whether the compiler knows the target and the flags.
CompileRequest read_compile_request(const nexus_plugin::CompileSettings &given);

// Returns a request with the target and options of pieces to be linked, without a program.
CompileRequest read_link_request(const nexus_plugin::LinkSettings &given);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_REQUEST_HPP_
