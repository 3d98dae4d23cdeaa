// SPDX-License-Identifier: Apache-2.0
//
// The environment's settings of the caches of object code.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core {

struct CacheSettings {
  bool on = true;      // NEXUS_CACHE=0 turns off the caches in memory and on disk
  std::string folder;  // on disk; empty if no folder is known
  uint64_t limit = 0;  // bytes on disk (NEXUS_CACHE_SIZE)
};

/// Returns whether NEXUS_CACHE leaves the caches on. Reads the environment at each call, as do the
/// functions below.
bool cachesAreOn();

/// Invalid values are ignored, with a warning once.
CacheSettings cacheSettings();

/// Returns the environment and the configuration as one text, since compilers read many variables,
/// such as CC, PATH, CPATH and GCC_EXEC_PREFIX, and each backend's reads others.
std::string compilerEnvironment();

}  // namespace nexus::core
