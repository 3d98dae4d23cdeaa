// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

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
  const nexus_plugin::Identity self = {.name = nexus_opencl::kBackendName,
                                       .version = NEXUS_OPENCL_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, nexus_opencl::start_backend);
}
