// SPDX-License-Identifier: Apache-2.0
// The environment of a compiler: places for its files, and its language.
#ifndef NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_
#define NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_

#include "compile/compiler.hpp"

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// "NAME=value": the compiler's temporary files and zig's cache of what it compiled go to the
// folder, so that they are removed with it, also where the compiler was killed.
std::vector<std::string> compile_environment(CompilerKind compiler, const std::string &folder);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILE_ENVIRONMENT_HPP_
