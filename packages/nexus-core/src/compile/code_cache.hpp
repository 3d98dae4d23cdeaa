// SPDX-License-Identifier: Apache-2.0
//
// Object code of a program: from memory, from disk, or from the compiler.
#pragma once

#include <cstdint>

#include "code/memory_cache.hpp"
#include "compile/program.hpp"
#include "compile/target.hpp"

namespace nexus::core {

/// Returns the object code of a program for a target, with its origin. Throws as compileSource(),
/// planOf(), resolveIncludes() and requireCompilable() do.
CachedCode codeOf(const Target &target, const Program &program);

/// How often this process got code from each origin.
struct CodeCounts {
  uint64_t from_memory = 0;
  uint64_t from_disk = 0;
  uint64_t compiled = 0;
};
CodeCounts codeCounts();

}  // namespace nexus::core
