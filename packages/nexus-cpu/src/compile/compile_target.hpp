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
  bool native;       // this machine's processor
  std::string name;  // as it was given; this machine's spelled out with its features
  std::vector<std::string> flags;
};

// How compilers spell processors depends on what they compile for.
enum class ProcessorFamily {
  x86,    // -march takes the names of processors
  arm,    // -mcpu does, and -march those of architectures, such as armv8.2-a
  other,  // as arm, and not every compiler knows "native"
};

inline constexpr ProcessorFamily kProcessorFamily =
#if defined(__x86_64__) || defined(__i386__)
    ProcessorFamily::x86;
#elif defined(__aarch64__) || defined(__arm__)
    ProcessorFamily::arm;
#else
    ProcessorFamily::other;
#endif

// target: empty or "native", or a processor's name such as "znver4" or "x86-64-v3". Whether the
// compiler knows it is the compiler's to say. Throws NXS_InvalidValue for what can't be a name.
CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler, ProcessorFamily family = kProcessorFamily);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_TARGET_HPP_
