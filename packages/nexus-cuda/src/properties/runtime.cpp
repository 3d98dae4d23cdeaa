// SPDX-License-Identifier: Apache-2.0
#include "compile/toolkit_library.hpp"
#include "device/device.hpp"

#include <nexus-plugin/runtime.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "cuda";
constinit HandleTable<nexus_plugin::Runtime, NXS_ObjectType_Runtime> runtimes;

uint64_t capabilities_of(const Device &device) {
  // Not HostVisibleMemory, which would include buffers in device memory.
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_HostCallback |
                  NXS_Capability_NestedSchedule | NXS_Capability_LibraryFromMemory |
                  NXS_Capability_ForeignMemory | NXS_Capability_ForeignStream |
                  NXS_Capability_Branches | NXS_Capability_Capture | NXS_Capability_Globals |
                  NXS_Capability_RowCopies;
  if (device.shares_memory()) {
    bits |= NXS_Capability_ShareableMemory | NXS_Capability_ShareableEvents;
  }
  if (cu.KernelGetParamInfo != nullptr) bits |= NXS_Capability_ArgumentInfo;
  if (Gpu::has_conditions()) bits |= NXS_Capability_Conditions;
  if (device.has_managed_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_stream_priorities()) bits |= NXS_Capability_StreamPriority;
  if (has_toolkit_library(kNvrtcLibrary)) bits |= NXS_Capability_Compile;
  // Properties of the device tell which of these launches it supports.
  return bits | NXS_Capability_Occupancy | NXS_Capability_CooperativeLaunch |
         NXS_Capability_ClusterLaunch | NXS_Capability_ProgrammaticLaunch;
}

// Starts the driver, and makes the devices and the runtime. Throws NXS_DeviceNotAvailable if there
// is no device.
nexus_plugin::Started start_backend() {
  start_driver();
  int count = 0;
  errors.check(cu.DeviceGetCount(&count), "counting the GPUs");
  std::vector<nxs_id> ids;
  for (int ordinal = 0; ordinal < count; ++ordinal) ids.push_back(devices.create(ordinal));
  all_devices = ids;
  return nexus_plugin::start(runtimes,
                             nexus_plugin::runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_CUDA_VERSION,
                     join("NVIDIA GPUs, through a driver for CUDA ", version_text(driver_version()),
                          "."))

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.LinkProgram = nxsLinkProgram;
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.TrimMemory = nxsTrimMemory;
  functions.SetReleaseThreshold = nxsSetReleaseThreshold;
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
  functions.ExportBuffer = nxsExportBuffer;
  functions.ImportBuffer = nxsImportBuffer;
  functions.ExportEvent = nxsExportEvent;
  functions.ImportEvent = nxsImportEvent;
  functions.CreateStreamFromHandle = nxsCreateStreamFromHandle;
  functions.GetGlobal = nxsGetGlobal;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.GetKernelOccupancy = nxsGetKernelOccupancy;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.SetCommandPredecessors = nxsSetCommandPredecessors;
  functions.CreateConditionCommand = nxsCreateConditionCommand;
  functions.StopLoops = nxsStopLoops;
  functions.BeginCapture = nxsBeginCapture;
  functions.EndCapture = nxsEndCapture;
  functions.CopyRows = nxsCopyRows;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_CUDA_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
