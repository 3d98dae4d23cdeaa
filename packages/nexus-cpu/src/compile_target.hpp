// SPDX-License-Identifier: Apache-2.0
// The processor that a program is compiled for.
#ifndef NEXUS_CPU_COMPILE_TARGET_HPP_
#define NEXUS_CPU_COMPILE_TARGET_HPP_

#include "compiler.hpp"
#include "processor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct CompileTarget {
  bool native;       // this machine's processor
  std::string name;  // as it was given; this machine's spelled out with its features
  std::vector<std::string> flags;
};

// target: empty or "native", or a processor's name such as "znver4" or "x86-64-v3". Whether the
// compiler knows it is the compiler's to say. Throws NXS_InvalidValue for what can't be a name.
CompileTarget resolve_target(std::string_view target, const Processor &processor,
                             CompilerKind compiler);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_TARGET_HPP_
