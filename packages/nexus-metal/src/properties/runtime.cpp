// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <unistd.h>
#include <cstdlib>
#include <nexus-plugin/runtime.hpp>
#include <thread>

namespace nexus_metal NXS_HIDDEN {
namespace {

constexpr const char *kBackendName = "metal";
constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                  NXS_Capability_ForeignMemory | NXS_Capability_HostCallback |
                  NXS_Capability_NestedSchedule | NXS_Capability_LibraryFromMemory |
                  NXS_Capability_Compile;
  // Not HostVisibleMemory: Metal uses the host's own memory in whole pages only.
  if (device.unified()) bits |= NXS_Capability_ManagedMemory;
  return bits;
}

// Records the device's work from now until the process exits, for Xcode.
void capture_into(const char *file, id device) {
  static id manager = nullptr;
  static pid_t process = 0;
  const Owned descriptor(msg.create(driver.get_class("MTLCaptureDescriptor")));
  msg.set_capture_object(descriptor.get(), device);
  msg.set_destination(descriptor.get(), MTLCaptureDestinationGPUTraceDocument);
  msg.set_output_url(descriptor.get(), msg.file_url(driver.get_class("NSURL"), to_nsstring(file)));
  id error = nullptr;
  id const made = msg.capture_manager(driver.get_class("MTLCaptureManager"));
  if (!msg.start_capture(made, descriptor.get(), &error)) {
    throw_error(error, NXS_InvalidValue, join("capturing into NEXUS_METAL_CAPTURE='", file, "'"));
  }
  manager = made;
  process = getpid();
  const auto stop = [] {
    if (getpid() != process) return;  // a child of fork()
    // On another thread: this one has no place for autorelease pools any more.
    std::thread([] {
      const Pool pool;
      msg.stop_capture(manager);
    }).join();
  };
  static_cast<void>(std::atexit(stop));
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
  if (const char *file = std::getenv("NEXUS_METAL_CAPTURE"); file != nullptr && *file != '\0') {
    capture_into(file, msg.object_at(all.get(), 0));
  }
  return start(runtimes, runtime_of(std::move(ids), devices, capabilities_of));
}

}  // namespace
}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_RUNTIME(runtimes, kBackendName, NEXUS_METAL_VERSION,
                     "GPUs of Apple's processors, through Metal.")

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = nexus_plugin::required_functions();
  functions.CreateBufferFromHandle = nxsCreateBufferFromHandle;
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
