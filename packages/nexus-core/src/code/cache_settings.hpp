// SPDX-License-Identifier: Apache-2.0
//
// What the environment says of the caches of object code.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core {

struct CacheSettings {
  bool on = true;      // NEXUS_CACHE=0 turns memory and disk off
  std::string folder;  // on disk; empty where there is no place for one
  uint64_t limit = 0;  // bytes on disk (NEXUS_CACHE_SIZE)
};

/// Whether NEXUS_CACHE leaves the caches on. Read at each call, as all of these are.
bool cachesAreOn();

/// A value that is none of what the variables can have gives a warning, once, and is ignored.
CacheSettings cacheSettings();

/// The environment and the configuration as one text: compilers obey variables of many names, such
/// as CC, PATH, CPATH and GCC_EXEC_PREFIX, and those of other backends others still.
std::string compilerEnvironment();

}  // namespace nexus::core
