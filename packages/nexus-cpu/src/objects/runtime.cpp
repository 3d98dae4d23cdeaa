// SPDX-License-Identifier: Apache-2.0
#include "objects/runtime.hpp"

#include "objects/device.hpp"

namespace nexus_cpu NXS_HIDDEN {
namespace {

constinit nexus_plugin::HandleTable<nexus_plugin::Runtime, NXS_ObjectType_Runtime> runtimes;

}  // namespace

nexus_plugin::Started start_backend() {
  return nexus_plugin::start(runtimes, {{devices.create()}, kCapabilities});
}

}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_CPU_VERSION,
                     "Kernels on the machine's own processors.")
