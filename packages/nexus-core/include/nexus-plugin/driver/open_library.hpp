// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_OPEN_LIBRARY_HPP_
#define NEXUS_PLUGIN_OPEN_LIBRARY_HPP_

#include <nexus-plugin/kernel/binary_check.hpp>

#include <dlfcn.h>
#include <string>

namespace nexus_plugin NXS_HIDDEN {

// Opens a library that a driver brings, by its path or the name that the system's loader knows.
// Returns NULL and the reason in why where that can't be done.
inline void *open_library(const std::string &path, std::string &why) {
  // dlopen() ends the process where a file is cut short.
  if (path.find('/') != std::string::npos) {
    why = checkBinary(path);
    if (!why.empty()) return nullptr;
  }
  if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char *reason = dlerror();
  why = reason == nullptr ? path : reason;
  return nullptr;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_OPEN_LIBRARY_HPP_
