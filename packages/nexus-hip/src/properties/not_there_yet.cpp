// SPDX-License-Identifier: Apache-2.0
// The functions of the C-API that this backend does not have yet throw NXS_NotSupported. They are
// weak, so a definition in another file replaces them.
#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/base/error.hpp>

namespace {

nxs_status refuse(const char *function) noexcept {
  return nexus_plugin::guarded([&] {
    throw nexus_plugin::Error(
        NXS_NotSupported, "the HIP backend has no ", function,
        " yet: it tells what the devices are and compiles for them, and runs nothing");
  });
}

}  // namespace

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REFUSE_REQUIRED(name, parameters)                            \
  extern "C" __attribute__((weak)) nxs_status nxs##name parameters { \
    return refuse("nxs" #name);                                      \
  }
#define REFUSE_OPTIONAL(name, parameters)
#define NXS_FUNCTION(need, since, name, parameters) REFUSE_##need(name, parameters)
#include <nexus-api/nxs_functions.def>
