// SPDX-License-Identifier: Apache-2.0
// Options of a launch: clusters, cooperative and programmatic launches.
#ifndef NEXUS_CUDA_LAUNCH_OPTIONS_HPP_
#define NEXUS_CUDA_LAUNCH_OPTIONS_HPP_

#include "execution/kernel.hpp"

#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// Those that there are; a device may have less.
inline constexpr nexus_plugin::LaunchOptions kLaunchOptions = {
    .flags = NXS_LaunchFlags_Cooperative | NXS_LaunchFlags_Programmatic, .clusters = true};

// That the device has what the launch asks for, and room for it. With the device's context current.
// Throws NXS_NotSupported, NXS_InvalidWorkGroupSize, NXS_InvalidGlobalWorkSize.
void check_options(const Kernel &kernel, const nexus_plugin::Launch &launch,
                   uint64_t dynamic_shared);

// For cuLaunchKernelEx; empty where the launch asks for nothing.
std::vector<CUlaunchAttribute> launch_attributes(const Kernel &kernel,
                                                 const nexus_plugin::Launch &launch);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LAUNCH_OPTIONS_HPP_
