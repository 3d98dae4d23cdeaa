// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_RUNTIME_HPP_
#define NEXUS_CPU_RUNTIME_HPP_

#include <nexus-plugin/runtime.hpp>

namespace nexus_cpu NXS_HIDDEN {

inline constexpr const char *kBackendName = "cpu";

inline constexpr uint64_t kCapabilities =
    NXS_Capability_HostVisibleMemory | NXS_Capability_ManagedMemory | NXS_Capability_Timing |
    NXS_Capability_ArgumentInfo | NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
    NXS_Capability_LibraryFromMemory | NXS_Capability_Compile | NXS_Capability_ForeignMemory |
    NXS_Capability_ShareableMemory;

// Makes the backend, with all processors of the machine as one device.
nexus_plugin::Started start_backend();

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RUNTIME_HPP_
