// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <nexus-plugin/runtime.hpp>

namespace nexus_metal NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "metal";
constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                  NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
                  NXS_Capability_LibraryFromMemory | NXS_Capability_Compile;
  // Not HostVisibleMemory: Metal uses the host's own memory in whole pages only.
  if (device.unified()) bits |= NXS_Capability_ManagedMemory;
  return bits;
}

// Opens all devices. Throws NXS_DeviceNotAvailable if there is none.
Started start_backend() {
  start_driver();
  const Pool pool;
  const Owned all(driver.copy_all_devices());
  std::vector<nxs_id> ids;
  for (NSUInteger i = 0, count = all ? msg.count(all.get()) : 0; i < count; ++i) {
    ids.push_back(devices.create(static_cast<int>(i), msg.object_at(all.get(), i)));
  }
  if (ids.empty()) throw Error(NXS_DeviceNotAvailable, "this machine has no GPU with Metal");
  return start(runtimes, runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_METAL_VERSION,
                     "GPUs of Apple's processors, through Metal.")

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_METAL_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
