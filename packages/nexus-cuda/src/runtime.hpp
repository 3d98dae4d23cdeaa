// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_RUNTIME_HPP_
#define NEXUS_CUDA_RUNTIME_HPP_

#include <nexus-plugin/handle_table.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

inline constexpr const char *kBackendName = "cuda";

class Device;

// The backend. There is one.
struct Runtime {
  // Starts the driver and finds its devices. Throws NXS_DeviceNotAvailable in words where there is
  // none.
  Runtime();

  std::vector<nxs_id> devices;
  uint64_t capabilities = 0;  // NXS_Capability_* bits, of all its devices
};

extern constinit nexus_plugin::HandleTable<Runtime, NXS_ObjectType_Runtime> runtimes;

// The device that the driver counts so; NULL where there is none.
Device *device_at(int ordinal);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_RUNTIME_HPP_
