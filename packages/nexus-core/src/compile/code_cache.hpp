// SPDX-License-Identifier: Apache-2.0
//
// Object code of a program: from memory, from disk, or from the compiler.
#pragma once

#include <cstdint>

#include "code/memory_cache.hpp"
#include "compile/program.hpp"

namespace nexus::core {

/// Returns the object code of a program for a target, with its origin. Throws as compileSource(),
/// planOf(), resolveIncludes() and requireCompilable() do.
CachedCode codeOf(const Target &target, const Program &program);

}  // namespace nexus::core
