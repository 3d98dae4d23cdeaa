// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "device.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

namespace {

constexpr auto runtime_properties = nexus_plugin::property_table<Runtime>({
    {NP_Name, [](const Runtime &) -> Value { return kBackendName; }},
    {NP_Description,
     [](const Runtime &) -> Value { return "Kernels on the machine's own processors."; }},
    {NP_Version, [](const Runtime &) -> Value { return NEXUS_CPU_VERSION; }},
    {NP_Size, [](const Runtime &) -> Value { return 1; }},
    {NP_Capabilities, [](const Runtime &) -> Value { return kCapabilities; }},
});

}  // namespace

Runtime::Runtime() : device(devices.create()) {}

}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Runtime, runtimes, runtime_properties)

extern "C" {

nxs_status nxsGetDevice(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  return guarded([&] {
    const auto owner = runtimes.pin(runtime);
    check_pointer(out_device, "out_device");
    if (index != 0) {
      throw Error(NXS_InvalidDevice, "index is ", index, "; the CPU is one device, with index 0");
    }
    *out_device = owner->device;
  });
}

}  // extern "C"
