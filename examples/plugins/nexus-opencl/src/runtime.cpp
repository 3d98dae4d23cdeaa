// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "device.hpp"
#include "discovery.hpp"

#include <algorithm>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::join;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

namespace {

uint64_t capabilities_of(const Device &device) {
  uint64_t bits = NXS_Capability_Timing | NXS_Capability_ArgumentInfo |
                  NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
                  NXS_Capability_LibraryFromMemory;
  if (device.works_in_host_memory() || device.has_shared_memory()) {
    bits |= NXS_Capability_HostVisibleMemory;
  }
  if (device.has_shared_memory()) bits |= NXS_Capability_ManagedMemory;
  if (device.has_priorities()) bits |= NXS_Capability_StreamPriority;
  if (device.has_compiler()) bits |= NXS_Capability_Compile;
  return bits;
}

// The bits that every one of the devices bears out.
uint64_t common_capabilities(const std::vector<nxs_id> &ids) {
  uint64_t common = ~uint64_t{0};
  for (const nxs_id id : ids) common &= capabilities_of(device_of(id));
  return common;
}

// GPUs, then accelerators, then processors; in the order of their platforms.
int rank_of(const Device &device) {
  return (device.type() & CL_DEVICE_TYPE_GPU) != 0           ? 0
         : (device.type() & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1
                                                             : 2;
}

constexpr auto runtime_properties = nexus_plugin::property_table<Runtime>({
    {NP_Name, [](const Runtime &) -> Value { return kBackendName; }},
    {NP_Description,
     [](const Runtime &) -> Value { return "Every device that an OpenCL driver brings."; }},
    {NP_Version, [](const Runtime &) -> Value { return NEXUS_OPENCL_VERSION; }},
    {NP_Size, [](const Runtime &r) -> Value { return r.devices.size(); }},
    {NP_Capabilities, [](const Runtime &r) -> Value { return r.capabilities; }},
});

}  // namespace

Runtime::Runtime() {
  for (Platform *platform : find_platforms()) {
    for (const cl_device_id id : platform->devices()) {
      devices.push_back(nexus_opencl::devices.create(*platform, id));
    }
  }
  std::stable_sort(devices.begin(), devices.end(), [](nxs_id a, nxs_id b) {
    return rank_of(device_of(a)) < rank_of(device_of(b));
  });
  capabilities = common_capabilities(devices);
}

}  // namespace nexus_opencl

using namespace nexus_opencl;

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
