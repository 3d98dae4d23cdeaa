// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "compile_device.hpp"
#include "toolkit_library.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::join;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

namespace {

uint64_t capabilities_of(const Device &device) {
  // Not HostVisibleMemory: that is of buffers in the device's memory too.
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_HostCallback |
                  NXS_Capability_NestedSchedule | NXS_Capability_LibraryFromMemory |
                  NXS_Capability_ForeignMemory | NXS_Capability_ForeignStream;
  if (device.shares_memory())
    bits |= NXS_Capability_ShareableMemory | NXS_Capability_ShareableEvents;
  if (cu.KernelGetParamInfo != nullptr) bits |= NXS_Capability_ArgumentInfo;
  if (device.has_managed_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_stream_priorities()) {
    bits |= NXS_Capability_StreamPriority;
  }
  if (has_toolkit_library(kNvrtcLibrary, compile_device_of(device).driver_major)) {
    bits |= NXS_Capability_Compile;
  }
  // Which device has which launches, it says itself.
  return bits | NXS_Capability_Occupancy | NXS_Capability_CooperativeLaunch |
         NXS_Capability_ClusterLaunch | NXS_Capability_ProgrammaticLaunch;
}

// The bits that every one of the devices bears out.
uint64_t common_capabilities(const std::vector<nxs_id> &ids) {
  uint64_t common = ~uint64_t{0};
  for (const nxs_id id : ids) common &= capabilities_of(device_of(id));
  return common;
}

std::vector<nxs_id> all_devices;  // set before any object of theirs is made

std::string version_text() {
  return join(driver_version() / 1000, ".", driver_version() % 1000 / 10);
}

constexpr auto runtime_properties = nexus_plugin::property_table<Runtime>({
    {NP_Name, [](const Runtime &) -> Value { return kBackendName; }},
    {NP_Description,
     [](const Runtime &) -> Value {
       return join("NVIDIA GPUs, through a driver for CUDA ", version_text(), ".");
     }},
    {NP_Version, [](const Runtime &) -> Value { return NEXUS_CUDA_VERSION; }},
    {NP_Size, [](const Runtime &r) -> Value { return r.devices.size(); }},
    {NP_Capabilities, [](const Runtime &r) -> Value { return r.capabilities; }},
});

}  // namespace

Runtime::Runtime() {
  start_driver();
  int count = 0;
  check(cu.DeviceGetCount(&count), "counting the GPUs");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    devices.push_back(nexus_cuda::devices.create(ordinal));
  }
  capabilities = common_capabilities(devices);
  all_devices = devices;
}

Device *device_at(int ordinal) {
  const auto index = static_cast<std::size_t>(ordinal);
  return ordinal < 0 || index >= all_devices.size() ? nullptr : &device_of(all_devices[index]);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GET_PROPERTY(Runtime, runtimes, runtime_properties)

extern "C" {

nxs_status nxsGetDevice(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  return guarded([&] {
    const auto owner = runtimes.pin(runtime);
    check_pointer(out_device, "out_device");
    if (index >= owner->devices.size()) {
      throw Error(NXS_InvalidDevice, "index is ", index, "; there are ", owner->devices.size(),
                  " devices, counted from 0");
    }
    *out_device = owner->devices[index];
  });
}

}  // extern "C"
