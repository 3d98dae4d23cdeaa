// SPDX-License-Identifier: Apache-2.0
// The properties of a device that are objects, as JSON.
#ifndef NEXUS_OPENCL_DEVICE_JSON_HPP_
#define NEXUS_OPENCL_DEVICE_JSON_HPP_

#include "device.hpp"

#include <string>

namespace nexus_opencl NXS_HIDDEN {

std::string core_json(const Device &device);
std::string memory_json(const Device &device);
std::string limits_json(const Device &device);
std::string extensions_json(const Device &device);  // OpenCL's own facts

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_DEVICE_JSON_HPP_
