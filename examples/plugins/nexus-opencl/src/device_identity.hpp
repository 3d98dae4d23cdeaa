// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_DEVICE_IDENTITY_HPP_
#define NEXUS_OPENCL_DEVICE_IDENTITY_HPP_

#include "device.hpp"

#include <string>

namespace nexus_opencl NXS_HIDDEN {

// The architecture in the words of the vendor's compiler, where OpenCL tells it: "sm_90",
// "gfx90a", "x86-64"; else "generic".
std::string architecture_of(const Device &device);

// What a driver's binary fits: platform, device and driver, with their versions.
std::string device_identity(const Device &device);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_DEVICE_IDENTITY_HPP_
