// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_OPEN_LIBRARY_HPP_
#define NEXUS_PLUGIN_OPEN_LIBRARY_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/kernel/binary_check.hpp>

#include <dlfcn.h>
#include <string>

namespace nexus_plugin NXS_HIDDEN {

// Opens a library by its path or name. Returns NULL and why if that fails.
inline void *open_library(const std::string &path, std::string &why) {
  why.clear();
  // dlopen() crashes the process if the file is cut short.
  if (path.find('/') != std::string::npos) why = checkBinary(path);
  if (!why.empty()) return nullptr;
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) why = dlerror();
  return library;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_OPEN_LIBRARY_HPP_
