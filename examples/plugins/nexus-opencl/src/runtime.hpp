// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_RUNTIME_HPP_
#define NEXUS_OPENCL_RUNTIME_HPP_

#include <nexus-plugin/handle_table.hpp>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

inline constexpr const char *kBackendName = "opencl";

// The backend. There is one.
struct Runtime {
  // Finds the platforms and their devices. Throws NXS_DeviceNotAvailable in words where there is
  // none.
  Runtime();

  std::vector<nxs_id> devices;
  uint64_t capabilities = 0;  // NXS_Capability_* bits, of all its devices
};

extern constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_RUNTIME_HPP_
