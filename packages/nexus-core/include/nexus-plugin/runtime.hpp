// SPDX-License-Identifier: Apache-2.0
// The runtime of a backend: its devices, and the capabilities that all of them have.
//
//   constinit HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;
//   NEXUS_PLUGIN_RUNTIME(runtimes, "acme", "1.0.0", "What Acme's driver shows.")
#ifndef NEXUS_PLUGIN_RUNTIME_HPP_
#define NEXUS_PLUGIN_RUNTIME_HPP_

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/base/query.hpp>

#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace nexus_plugin NXS_HIDDEN {

// A backend has one runtime, which keeps its devices as long as the process lives.
struct Runtime {
  std::vector<nxs_id> devices;
  uint64_t capabilities = 0;  // NXS_Capability_* bits that all devices have
};

// Makes a runtime with the capabilities that all of the devices have. capabilities_of(device)
// returns the bits of one.
template <class Devices, class CapabilitiesOf>
Runtime runtime_of(std::vector<nxs_id> ids, const Devices &devices,
                   CapabilitiesOf &&capabilities_of) {
  uint64_t common = ~uint64_t{0};
  for (const nxs_id id : ids) common &= capabilities_of(*devices.pin(id));
  return {std::move(ids), common};
}

// For a backend whose driver, like most drivers, does not survive a fork(): call this before you
// start the driver. Throws NXS_DeviceNotAvailable in a child of the process that started it. name:
// such as "CUDA".
inline void refuse_after_fork([[maybe_unused]] std::string_view name) {
#ifndef _WIN32
  static std::atomic<pid_t> started_in{0};
  pid_t before = 0;
  if (started_in.compare_exchange_strong(before, getpid()) || before == getpid()) return;
  throw Error(NXS_DeviceNotAvailable, name,
              " was started before a fork(), which its driver does not survive; start the process "
              "with multiprocessing's 'spawn', or use the backend only in the child");
#endif
}

// Makes the runtime, for query().
template <class Table>
Started start(Table &runtimes, Runtime made) {
  const uint64_t capabilities = made.capabilities;
  return {runtimes.create(std::move(made)), capabilities};
}

// Implements nxsGetDevice.
inline nxs_id device_at(const Runtime &runtime, uint32_t index) {
  if (index < runtime.devices.size()) return runtime.devices[index];
  throw Error(NXS_InvalidDevice, "index is ", index, "; the number of devices is ",
              runtime.devices.size(), ", and they are counted from 0");
}

// Implements nxsGetRuntimeProperty.
inline void get_runtime_property(const Runtime &runtime, nxs_property property,
                                 nxs_value *out_value, std::string_view name,
                                 std::string_view version, std::string_view description) {
  struct Described {
    const Runtime &runtime;
    std::string_view name, version, description;
  };
  static constexpr auto properties = property_table<Described>({
      {NP_Name, [](const Described &of) -> Value { return of.name; }},
      {NP_Description, [](const Described &of) -> Value { return of.description; }},
      {NP_Version, [](const Described &of) -> Value { return of.version; }},
      {NP_Size, [](const Described &of) -> Value { return of.runtime.devices.size(); }},
      {NP_Capabilities, [](const Described &of) -> Value { return of.runtime.capabilities; }},
  });
  properties.get({runtime, name, version, description}, property, out_value);
}

}  // namespace nexus_plugin

// Defines nxsGetDevice and nxsGetRuntimeProperty. The last three arguments are texts.
#define NEXUS_PLUGIN_RUNTIME(runtimes, name, version, description)                             \
  NEXUS_PLUGIN_RESULT(GetDevice, (nxs_id runtime, uint32_t index, nxs_id *out),                \
                      nexus_plugin::device_at(*(runtimes).pin(runtime), index))                \
  NEXUS_PLUGIN_FUNCTION(GetRuntimeProperty,                                                    \
                        (nxs_id runtime, nxs_property property, nxs_value * out),              \
                        nexus_plugin::get_runtime_property(*(runtimes).pin(runtime), property, \
                                                           out, name, version, description))

#endif  // NEXUS_PLUGIN_RUNTIME_HPP_
