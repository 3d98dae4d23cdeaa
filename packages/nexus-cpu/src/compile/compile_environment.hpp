// SPDX-License-Identifier: Apache-2.0
// The environment variables of a compiler process.
#ifndef NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_
#define NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_

#include "compile/compiler.hpp"

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// Returns texts "NAME=value". They put the compiler's temporary files and zig's cache of compiled
// code into the folder, so that they are removed with it, even if the compiler was killed.
std::vector<std::string> compile_environment(CompilerKind compiler, const std::string &folder);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_
