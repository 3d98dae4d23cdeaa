// SPDX-License-Identifier: Apache-2.0
// Opens and starts NVIDIA's driver at run time.
#ifndef NEXUS_CUDA_DRIVER_HPP_
#define NEXUS_CUDA_DRIVER_HPP_

#include "driver/functions.hpp"

#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Returns the CUDA version of the driver: 12040 is 12.4. 0 before start_driver().
int driver_version() noexcept;
// Returns a text such as "12.4".
std::string version_text(int version);

// Opens and initializes the driver, once in a process. Throws NXS_DeviceNotAvailable; a later call
// tries again. One thread at a time.
void start_driver();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_HPP_
