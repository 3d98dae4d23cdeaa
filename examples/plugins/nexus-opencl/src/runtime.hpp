// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_RUNTIME_HPP_
#define NEXUS_OPENCL_RUNTIME_HPP_

#include <nexus-plugin/runtime.hpp>

namespace nexus_opencl NXS_HIDDEN {

inline constexpr const char *kBackendName = "opencl";

// Makes the backend of the platforms' devices. Throws NXS_DeviceNotAvailable in words where there
// is none.
nexus_plugin::Started start_backend();

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_RUNTIME_HPP_
