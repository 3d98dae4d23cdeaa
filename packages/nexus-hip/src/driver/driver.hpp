// SPDX-License-Identifier: Apache-2.0
// Opens AMD's HIP runtime at run time, and declares its functions.
#ifndef NEXUS_HIP_DRIVER_HPP_
#define NEXUS_HIP_DRIVER_HPP_

#include "driver/hip_types.hpp"

#include <nexus-plugin/driver/driver_function.hpp>
#include <string>

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
  bool pools = false, graphs = false;
};

// Set by start_driver() before any object is made, and not changed afterwards.
extern constinit Functions hip;

// Returns whether the runtime is of ROCm 6 or later, where some numbers are others.
inline bool is_hip_6() noexcept {
  return hip.GetDevicePropertiesR0600 != nullptr;
}

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
