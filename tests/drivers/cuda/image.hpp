// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_IMAGE_HPP_
#define NEXUS_SIMULATED_CUDA_IMAGE_HPP_

#include "../simulator/library.hpp"

// Reads a cubin, a fatbin with cubins or PTX as the driver is given it: without a size.
// architecture: the device's. Throws what the driver answers to what it can't use.
simulator::Code parse_image(const void *code, int architecture);

#endif  // NEXUS_SIMULATED_CUDA_IMAGE_HPP_
