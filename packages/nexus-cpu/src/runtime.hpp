// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_RUNTIME_HPP_
#define NEXUS_CPU_RUNTIME_HPP_

#include <nexus-plugin/handle_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

inline constexpr const char *kBackendName = "cpu";

inline constexpr uint64_t kCapabilities =
    NXS_Capability_HostVisibleMemory | NXS_Capability_ManagedMemory | NXS_Capability_Timing |
    NXS_Capability_ArgumentInfo | NXS_Capability_HostCallback | NXS_Capability_NestedSchedule |
    NXS_Capability_LibraryFromMemory | NXS_Capability_Compile | NXS_Capability_ForeignMemory |
    NXS_Capability_ShareableMemory;

// The backend. There is one.
struct Runtime {
  Runtime();
  nxs_id device;
};

extern constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RUNTIME_HPP_
