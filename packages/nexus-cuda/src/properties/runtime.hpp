// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_RUNTIME_HPP_
#define NEXUS_CUDA_RUNTIME_HPP_

#include <nexus-api/nxs.h>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// The device that the driver counts so; NULL where there is none.
Device *device_at(int ordinal);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_RUNTIME_HPP_
