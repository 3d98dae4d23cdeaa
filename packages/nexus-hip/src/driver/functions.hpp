// SPDX-License-Identifier: Apache-2.0
// The functions of AMD's HIP runtime.
#ifndef NEXUS_HIP_FUNCTIONS_HPP_
#define NEXUS_HIP_FUNCTIONS_HPP_

#include "driver/hip_types.hpp"

#include <nexus-plugin/driver/driver_function.hpp>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::DriverFunction;

// Lets HIP forget the last failure of this thread, so that no other library takes it for its own.
void forget_failure() noexcept;

// The runtime's functions by their names without "hip".
struct Functions {
#define HIP_FUNCTION(name, parameters) \
  DriverFunction<hipError_t parameters, forget_failure> name{"hip" #name};
#define HIP_OPTIONAL(name, parameters) HIP_FUNCTION(name, parameters)
#define HIP_SETTING(setting, name, parameters) HIP_FUNCTION(name, parameters)
#define HIP_PLAIN(type, name, parameters) type(*name) parameters = nullptr;
#include "driver/hip_functions.def"
  // Whether the setting is on, and the runtime has the functions.
  bool pools = false, graphs = false, captures = false;
};

// Set by start_driver() before any object is made, and not changed afterwards.
inline constinit Functions hip;

inline void forget_failure() noexcept {
  (void)hip.GetLastError();
}

// Returns whether the runtime is ROCm 6 or later, where some numbers differ.
inline bool is_hip_6() noexcept {
  return hip.GetDevicePropertiesR0600 != nullptr;
}

}  // namespace nexus_hip

#endif  // NEXUS_HIP_FUNCTIONS_HPP_
