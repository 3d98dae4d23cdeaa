// SPDX-License-Identifier: Apache-2.0
// Devices that work in each other's memory.
#ifndef NEXUS_CUDA_PEERS_HPP_
#define NEXUS_CUDA_PEERS_HPP_

#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

// Lets work of the device use the memory that another one's buffers have, and what the driver's
// plain functions gave there; for the life of the process. False where the GPUs do not reach each
// other. Any thread. Throws what the driver says.
bool let_reach(Device &device, Device &other);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_PEERS_HPP_
