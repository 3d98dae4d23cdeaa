// SPDX-License-Identifier: Apache-2.0
#include "objects/device.hpp"

#include <nexus-plugin/runtime.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "cpu";

constexpr uint64_t kCapabilities =
    NXS_Capability_HostVisibleMemory | NXS_Capability_ManagedMemory | NXS_Capability_Timing |
    NXS_Capability_ArgumentInfo | NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
    NXS_Capability_LibraryFromMemory | NXS_Capability_Compile | NXS_Capability_ForeignMemory |
    NXS_Capability_ShareableMemory | NXS_Capability_Branches | NXS_Capability_Conditions |
    NXS_Capability_Globals;

constinit nexus_plugin::HandleTable<nexus_plugin::Runtime, NXS_ObjectType_Runtime> runtimes;

// Makes the backend, with all processors of the machine as one device.
nexus_plugin::Started start_backend() {
  return nexus_plugin::start(runtimes, {{devices.create()}, kCapabilities});
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_CPU_VERSION,
                     "Kernels on the machine's own processors.")

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
  functions.ExportBuffer = nxsExportBuffer;
  functions.ImportBuffer = nxsImportBuffer;
  functions.GetGlobal = nxsGetGlobal;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.SetCommandPredecessors = nxsSetCommandPredecessors;
  functions.CreateConditionCommand = nxsCreateConditionCommand;
  functions.StopLoops = nxsStopLoops;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.LinkProgram = nxsLinkProgram;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_CPU_VERSION};
  // Makes a new backend each time: the child of a fork() queries again, with its own tag.
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
