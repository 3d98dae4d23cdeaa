// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's driver.
#ifndef NEXUS_CUDA_FUNCTIONS_HPP_
#define NEXUS_CUDA_FUNCTIONS_HPP_

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

// Set by start_driver() before any object is made, and not changed afterwards.
inline constinit Functions cu;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_FUNCTIONS_HPP_
