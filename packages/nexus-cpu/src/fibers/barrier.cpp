// SPDX-License-Identifier: Apache-2.0
#include "fibers/barrier.hpp"

#include <dlfcn.h>
#include <mutex>
#include <nexus-plugin/host.hpp>
#include <string>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Returns the folder of this plug-in's library, with a trailing slash.
std::string own_folder() {
  Dl_info info{};
  static const char anchor = 0;
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string("./") : path.substr(0, slash + 1);
}

void load_helper() {
  const std::string path = own_folder() + NEXUS_CPU_BARRIER_LIBRARY;
  // RTLD_GLOBAL, since kernel libraries use the symbol without linking the library.
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  const char *reason = dlerror();
  nexus_plugin::log(NXS_LogLevel_Warning, "kernels that use _cpu_barrier can't be loaded: ",
                    reason == nullptr ? path.c_str() : reason);
}

}  // namespace

void offer_barrier() {
  static std::once_flag once;
  std::call_once(once, load_helper);
}

}  // namespace nexus_cpu
