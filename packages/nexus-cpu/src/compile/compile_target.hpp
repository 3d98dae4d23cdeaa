// SPDX-License-Identifier: Apache-2.0
// The processor that a program is compiled for.
#ifndef NEXUS_CPU_COMPILE_TARGET_HPP_
#define NEXUS_CPU_COMPILE_TARGET_HPP_

#include "compile/compiler.hpp"
#include "machine/processor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct CompileTarget {
  bool native;       // is this machine's processor
  std::string name;  // as given; for this machine's processor its name and features
  std::vector<std::string> flags;
};

// The target's family, on which the spelling of processors depends.
enum class ProcessorFamily {
  x86,    // -march takes names of processors
  arm,    // -mcpu takes names of processors, and -march those of architectures, such as armv8.2-a
  other,  // as arm, but some compilers do not know "native"
};

inline constexpr ProcessorFamily kProcessorFamily =
#if defined(__x86_64__) || defined(__i386__)
    ProcessorFamily::x86;
#elif defined(__aarch64__) || defined(__arm__)
    ProcessorFamily::arm;
#else
    ProcessorFamily::other;
#endif

// target: empty or "native", or a processor's name such as "znver4" or "x86-64-v3", which the
// compiler checks. Throws NXS_InvalidValue for a text that can't be a name.
CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler, ProcessorFamily family = kProcessorFamily);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_TARGET_HPP_
