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

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_HostCallback | NXS_Capability_Compile |
                  NXS_Capability_NestedSchedule | NXS_Capability_LibraryFromMemory |
                  NXS_Capability_ArgumentInfo | NXS_Capability_ForeignMemory |
                  NXS_Capability_Occupancy | NXS_Capability_CooperativeLaunch |
                  NXS_Capability_Branches | NXS_Capability_Globals | NXS_Capability_RowCopies;
  if (hip.captures) bits |= NXS_Capability_Capture;
  if (hip.StreamGetDevice != nullptr) bits |= NXS_Capability_ForeignStream;
  if (device.has_managed_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_stream_priorities()) bits |= NXS_Capability_StreamPriority;
  if (!device.shares_memory()) return bits;
  return bits | NXS_Capability_ShareableMemory | NXS_Capability_ShareableEvents;
}

// Starts HIP and makes the runtime of its devices. Throws NXS_DeviceNotAvailable if there is none.
nexus_plugin::Started start_backend() {
  start_driver();
  int count = 0;
  errors.check(hip.GetDeviceCount(&count), "counting the GPUs");
  std::vector<nxs_id> ids;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    ids.push_back(devices.create(ordinal));
    all_devices.push_back(&*devices.pin(ids.back()));
  }
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
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.SetCommandPredecessors = nxsSetCommandPredecessors;
  functions.BeginCapture = nxsBeginCapture;
  functions.EndCapture = nxsEndCapture;
  functions.CopyRows = nxsCopyRows;
  functions.CreateStreamFromHandle = nxsCreateStreamFromHandle;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.ExportBuffer = nxsExportBuffer;
  functions.ImportBuffer = nxsImportBuffer;
  functions.ExportEvent = nxsExportEvent;
  functions.ImportEvent = nxsImportEvent;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.GetGlobal = nxsGetGlobal;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.GetKernelOccupancy = nxsGetKernelOccupancy;
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.SetReleaseThreshold = nxsSetReleaseThreshold;
  functions.TrimMemory = nxsTrimMemory;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_HIP_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
