// SPDX-License-Identifier: Apache-2.0
// A shared library that OpenCL is reached through: a loader (libOpenCL), or a vendor's own library,
// which is then used as a loader would.
#ifndef NEXUS_OPENCL_DRIVER_HPP_
#define NEXUS_OPENCL_DRIVER_HPP_

#include "opencl.hpp"

#include <string>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// What a library offers. Never unloaded: drivers keep threads of their own.
struct OpenedDriver {
  void *library = nullptr;
  std::vector<cl_platform_id> platforms;
};

// Opens a library by its path, or by a name that the system's loader looks for. Throws
// NXS_DeviceNotAvailable with a sentence where it is none that OpenCL can be reached through.
OpenedDriver open_driver(const std::string &path);

// The functions of a platform of that library; those beyond version (major * 10 + minor), and
// those of extensions that the platform does not name, are NULL.
// Throws NXS_DeviceNotAvailable where one that version 1.2 has is missing.
Functions functions_of(const OpenedDriver &driver, cl_platform_id platform);

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_DRIVER_HPP_
