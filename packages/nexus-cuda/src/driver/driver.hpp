// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver, opened at run time, and its functions.
#ifndef NEXUS_CUDA_DRIVER_HPP_
#define NEXUS_CUDA_DRIVER_HPP_

#include "driver/cuda_types.hpp"

#include <nexus-plugin/driver/driver_function.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::DriverFunction;

// The driver's functions by their names without "cu".
struct Functions {
#define CU_FUNCTION(name, parameters) DriverFunction<CUresult parameters> name{"cu" #name};
#define CU_OPTIONAL(name, version, parameters) CU_FUNCTION(name, parameters)
#include "driver/cuda_functions.def"
};

// Filled by start_driver(), before any object is made; then read only. A process has one driver.
extern constinit Functions cu;

// Of CUDA that the driver is for: 12040 is 12.4. 0 before start_driver().
int driver_version() noexcept;

// Opens and initialises the driver, once in a process. Throws Error(NXS_DeviceNotAvailable) with a
// sentence where that can't be done; a later call tries again. One thread at a time.
void start_driver();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_HPP_
