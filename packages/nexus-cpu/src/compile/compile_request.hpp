// SPDX-License-Identifier: Apache-2.0
// The checked request of nxs_compile_info, in the form that C compilers take.
#ifndef NEXUS_CPU_COMPILE_REQUEST_HPP_
#define NEXUS_CPU_COMPILE_REQUEST_HPP_

#include <nexus-plugin/compile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct CompileRequest {
  std::string_view source;  // the caller's
  std::string name;         // not empty; control characters are question marks
  std::string target;
  bool portable;  // the portable language, which calls no library
  bool cxx;
  std::string standard;  // as compilers spell it
  int optimization;
  bool fast_math, debug, line_info;
  bool relocatable;                  // a piece of a program, to be linked
  std::vector<std::string> defines;  // "NAME" or "NAME=value"
  std::vector<std::string> include_paths;
  std::vector<std::string> options;
};

// The languages that programs for the CPU can be written in.
const std::vector<std::string> &compile_languages();

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue, in words
// that name the parameter. The target and what a compiler knows of its flags are not checked here.
CompileRequest read_compile_request(const nexus_plugin::CompileSettings &given);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_REQUEST_HPP_
