// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_DISCOVERY_HPP_
#define NEXUS_OPENCL_DISCOVERY_HPP_

#include "platform.hpp"

#include <vector>

namespace nexus_opencl NXS_HIDDEN {

// The platforms that have devices, each once, in the order in which they are found: those of the
// system's loader, then those of the vendors' libraries that the configuration names. They live as
// long as the process.
//
//   opencl.library    the library to use, and no other: a loader or a vendor's own
//   opencl.vendors    vendors' libraries to use beside the system's loader, ':' between
//   opencl.platforms  parts of platforms' names, ',' between: only these, in this order
//
// Throws NXS_DeviceNotAvailable with a sentence where there is none.
std::vector<Platform *> find_platforms();

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_DISCOVERY_HPP_
