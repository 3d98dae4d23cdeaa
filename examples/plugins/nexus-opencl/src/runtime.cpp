// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/runtime.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "opencl";
constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                  NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
                  NXS_Capability_LibraryFromMemory | NXS_Capability_RowCopies;
  if (device.works_in_host_memory() || device.has_shared_memory()) {
    bits |= NXS_Capability_HostVisibleMemory;
  }
  if (device.has_shared_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_priorities()) bits |= NXS_Capability_StreamPriority;
  if (device.has_compiler()) bits |= NXS_Capability_Compile;
  return bits;
}

// GPUs, then accelerators, then processors; in the order of their platforms.
int rank_of(const Device &device) {
  return (device.type() & CL_DEVICE_TYPE_GPU) != 0           ? 0
         : (device.type() & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1
                                                             : 2;
}

// Opens all devices. Throws NXS_DeviceNotAvailable if there is none.
Started start_backend() {
  std::vector<nxs_id> ids;
  for (Platform *platform : find_platforms()) {
    for (const cl_device_id id : platform->devices()) ids.push_back(devices.create(*platform, id));
  }
  std::stable_sort(ids.begin(), ids.end(), [](nxs_id a, nxs_id b) {
    return rank_of(device_of(a)) < rank_of(device_of(b));
  });
  return start(runtimes, runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_OPENCL_VERSION,
                     "Every device that an OpenCL driver brings.")

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.MapBuffer = nxsMapBuffer;
  functions.UnmapBuffer = nxsUnmapBuffer;
  functions.CopyRows = nxsCopyRows;
  functions.GetKernelArgument = nxsGetKernelArgument;
  functions.EnqueueHostCallback = nxsEnqueueHostCallback;
  functions.GetElapsedTime = nxsGetElapsedTime;
  functions.PrepareSchedule = nxsPrepareSchedule;
  functions.CreateScheduleCommand = nxsCreateScheduleCommand;
  functions.DescribeCompile = nxsDescribeCompile;
  functions.CompileProgram = nxsCompileProgram;
  const nexus_plugin::Identity self = {.name = kBackendName, .version = NEXUS_OPENCL_VERSION};
  return nexus_plugin::query(host, plugin, self, functions, start_backend);
}
