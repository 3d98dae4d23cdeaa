// SPDX-License-Identifier: Apache-2.0
#include "objects/runtime.hpp"

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
  functions.ExportBuffer = nxsExportBuffer;
  functions.ImportBuffer = nxsImportBuffer;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  functions.LinkProgram = nxsLinkProgram;
  const nexus_plugin::Identity self = {.name = nexus_cpu::kBackendName,
                                       .version = NEXUS_CPU_VERSION};
  // Makes a new backend each time: the child of a fork() queries again, with its own tag.
  return nexus_plugin::query(host, plugin, self, functions, nexus_cpu::start_backend);
}
