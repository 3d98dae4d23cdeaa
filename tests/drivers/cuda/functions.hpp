// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_
#define NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_

#include <map>
#include <string>

namespace simulated_cuda {

using Address = void (*)();
// A function by the version that brought it; NULL: from there on it is not simulated.
using Versions = std::map<int, Address>;

const std::map<std::string, Versions> &functions();

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_
