// SPDX-License-Identifier: Apache-2.0
// Opens and starts AMD's HIP runtime at run time.
#ifndef NEXUS_HIP_DRIVER_HPP_
#define NEXUS_HIP_DRIVER_HPP_

#include "driver/functions.hpp"

#include <string>

namespace nexus_hip NXS_HIDDEN {

// Returns HIP's version: 60443484 is 6.4.43484. 0 before start_driver().
int runtime_version() noexcept;
// Returns a text such as "6.4.43484".
std::string runtime_version_text();

// Returns the path of a file of the system, below the folder that the setting "root" names.
std::string system_path(const std::string &path);

// Opens and initializes the runtime, once in a process. Throws NXS_DeviceNotAvailable; a later call
// tries again. One thread at a time.
void start_driver();

}  // namespace nexus_hip

#endif  // NEXUS_HIP_DRIVER_HPP_
