// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_RUNTIME_HPP_
#define NEXUS_CUDA_RUNTIME_HPP_

#include <nexus-plugin/runtime.hpp>

namespace nexus_cuda NXS_HIDDEN {

inline constexpr const char *kBackendName = "cuda";

class Device;

// Starts the driver and makes the backend of its devices. Throws NXS_DeviceNotAvailable in words
// where there is none.
nexus_plugin::Started start_backend();

// The device that the driver counts so; NULL where there is none.
Device *device_at(int ordinal);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_RUNTIME_HPP_
