// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <nexus-plugin/runtime.hpp>

namespace nexus_hip NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "hip";
constinit HandleTable<nexus_plugin::Runtime, NXS_ObjectType_Runtime> runtimes;

std::string description() {
  return join("AMD GPUs, through HIP ", runtime_version_text(), ".");
}

// Starts HIP and makes the runtime of its devices. Throws NXS_DeviceNotAvailable if there is none.
nexus_plugin::Started start_backend() {
  start_driver();
  int count = 0;
  errors.check(hip.GetDeviceCount(&count), "counting the GPUs");
  std::vector<nxs_id> ids;
  for (int ordinal = 0; ordinal < count; ++ordinal) ids.push_back(devices.create(ordinal));
  const auto capabilities_of = [](const Device &) -> uint64_t { return NXS_Capability_Compile; };
  return nexus_plugin::start(runtimes,
                             nexus_plugin::runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_hip

using namespace nexus_hip;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_HIP_VERSION, description())

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.GetKernelArgument = nxsGetKernelArgument;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_HIP_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
