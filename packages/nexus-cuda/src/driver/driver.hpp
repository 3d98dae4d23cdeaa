// SPDX-License-Identifier: Apache-2.0
// Opens NVIDIA's driver at run time, and declares its functions.
#ifndef NEXUS_CUDA_DRIVER_HPP_
#define NEXUS_CUDA_DRIVER_HPP_

#include "driver/cuda_types.hpp"

#include <nexus-plugin/driver/driver_function.hpp>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::DriverFunction;

// The driver's functions by their names without "cu".
struct Functions {
#define CU_FUNCTION(name, parameters) DriverFunction<CUresult parameters> name{"cu" #name};
#define CU_OPTIONAL(name, version, parameters) CU_FUNCTION(name, parameters)
#include "driver/cuda_functions.def"
};

// Set by start_driver() before any object is made, and not changed afterwards.
extern constinit Functions cu;

// Returns the CUDA version of the driver: 12040 is 12.4. 0 before start_driver().
int driver_version() noexcept;
// Returns a text such as "12.4".
std::string version_text(int version);

// Opens and initializes the driver, once in a process. Throws NXS_DeviceNotAvailable; a later call
// tries again. One thread at a time.
void start_driver();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DRIVER_HPP_
