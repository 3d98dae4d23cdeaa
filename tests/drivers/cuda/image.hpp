// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_IMAGE_HPP_
#define NEXUS_SIMULATED_CUDA_IMAGE_HPP_

#include "failure.hpp"

#include <memory>
#include <string>
#include <vector>

namespace simulated_cuda {

// Code as a program gives it to the driver, checked and taken apart: a cubin, a fatbin with cubins,
// or PTX.
struct Image {
  std::string host_object;         // the shared object that runs on the host; empty: there is none
  std::vector<std::string> names;  // of the kernels, where the code can't run here
  int architecture = 0;            // it was compiled for, major * 10 + minor
  int ptx_version = 0;             // major * 10 + minor; 0: no PTX
};

// As the driver is given it: without a size. architecture: the device's. Throws what the driver
// answers to what it can't use.
Image parse_image(const void *code, int architecture);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_IMAGE_HPP_
