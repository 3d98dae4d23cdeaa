// SPDX-License-Identifier: Apache-2.0
// Finds and identifies the compiler of programs, without starting it.
#ifndef NEXUS_CPU_COMPILER_HPP_
#define NEXUS_CPU_COMPILER_HPP_

#include "machine/processor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

using Words = std::vector<std::string>;

enum class CompilerKind {
  clang,
  gcc,
  zig,    // a clang with its own spelling of processors
  other,  // gets only the flags that all compilers know
};

struct Compiler {
  Words command;  // the program's path and its first arguments
  CompilerKind kind;
  std::string name;      // shown to users, such as "clang" or "zig cc"
  std::string identity;  // changes with the compiler: path, size and time of its programs
};

// Returns the first that exists: the one named by the setting cpu.cc or the variable CC, clang, zig
// of the ziglang wheel, gcc, cc. For C++: the one named by cpu.cxx or CXX, else the one that
// belongs to the C compiler. Throws NXS_CompilerNotAvailable with an explanation.
Compiler find_compiler(bool cxx);

// Returns the compiler's environment variables, as "NAME=value". They put its temporary files and
// zig's cache of compiled code into the folder, so that they are removed with it, even if the
// compiler was killed.
Words compile_environment(CompilerKind compiler, const std::string &folder);

// The processor that a program is compiled for.
struct CompileTarget {
  bool native;       // is this machine's processor
  std::string name;  // as given; for this machine's processor its name and features
  Words flags;
};

// The target's family, on which the spelling of processors depends.
enum class ProcessorFamily {
  x86,    // -march takes names of processors
  arm,    // -mcpu takes processors, -march architectures such as armv8.2-a
  other,  // as arm, but some compilers do not know "native"
};

inline constexpr ProcessorFamily kProcessorFamily =
#if defined(__x86_64__)
    ProcessorFamily::x86;
#elif defined(__aarch64__)
    ProcessorFamily::arm;
#else
    ProcessorFamily::other;
#endif

// target: empty or "native", or a processor's name such as "znver4" or "x86-64-v3", which the
// compiler checks. Throws NXS_InvalidValue for a text that can't be a name.
CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler, ProcessorFamily family = kProcessorFamily);

// Splits a command line into words, with a shell's quotes and backslashes but no other shell
// syntax. Returns nothing if a quote is left open.
std::optional<Words> split_words(std::string_view command);

// Returns the folders of a list as in PATH: an empty part is the current folder.
Words folders_in(std::string_view list);

// Returns whether the text has only letters, digits and the characters of more.
bool is_plain_text(std::string_view text, std::string_view more);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILER_HPP_
