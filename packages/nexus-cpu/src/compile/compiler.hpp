// SPDX-License-Identifier: Apache-2.0
// The compiler of programs: which one, and what it is known by. None is started here.
#ifndef NEXUS_CPU_COMPILER_HPP_
#define NEXUS_CPU_COMPILER_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

enum class CompilerKind {
  clang,
  gcc,
  zig,    // a clang that spells processors its own way
  other,  // gets the flags that all have
};

struct Compiler {
  std::vector<std::string> command;  // the program's path and what comes before all other arguments
  CompilerKind kind;
  std::string name;      // for people, such as "clang" or "zig cc"
  std::string identity;  // changes when the compiler does: path, size and time of its programs
};

// In this order: what the setting cpu.cc or the variable CC names, clang, the ziglang wheel's, gcc,
// cc. For C++ what cpu.cxx or CXX names, else the one that belongs to the C compiler. Throws
// NXS_CompilerNotAvailable in words.
Compiler find_compiler(bool cxx);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILER_HPP_
