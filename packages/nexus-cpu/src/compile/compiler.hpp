// SPDX-License-Identifier: Apache-2.0
// Finds and identifies the compiler of programs, without starting it.
#ifndef NEXUS_CPU_COMPILER_HPP_
#define NEXUS_CPU_COMPILER_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

enum class CompilerKind {
  clang,
  gcc,
  zig,    // a clang with its own spelling of processors
  other,  // gets only the flags that all compilers know
};

struct Compiler {
  std::vector<std::string> command;  // the program's path and its first arguments
  CompilerKind kind;
  std::string name;      // shown to users, such as "clang" or "zig cc"
  std::string identity;  // changes with the compiler: path, size and time of its programs
};

// Returns the first that exists: the one named by the setting cpu.cc or the variable CC, clang, zig
// of the ziglang wheel, gcc, cc. For C++: the one named by cpu.cxx or CXX, else the one that
// belongs to the C compiler. Throws NXS_CompilerNotAvailable with an explanation.
Compiler find_compiler(bool cxx);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILER_HPP_
