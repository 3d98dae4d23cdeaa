// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_COMPILE_DEVICE_HPP_
#define NEXUS_CUDA_COMPILE_DEVICE_HPP_

#include "device/device.hpp"
#include "toolkit/compile_target.hpp"

namespace nexus_cuda NXS_HIDDEN {

// Properties of a device that compilers need.
inline CompileDevice compile_device_of(const Device &device) {
  constexpr int kPerMajor = 1000;
  return {device.name(), device.compute_capability(), driver_version() / kPerMajor};
}

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_DEVICE_HPP_
