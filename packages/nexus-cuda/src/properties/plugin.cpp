// SPDX-License-Identifier: Apache-2.0
#include "properties/runtime.hpp"

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
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.GetKernelOccupancy = nxsGetKernelOccupancy;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  const nexus_plugin::Identity self = {.name = nexus_cuda::kBackendName,
                                       .version = NEXUS_CUDA_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, nexus_cuda::start_backend);
}
