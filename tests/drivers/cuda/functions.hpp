// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_
#define NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_

#include <map>
#include <string>

using Address = void (*)();

// By their names, and by the versions that brought them; NULL: from there on it is not simulated.
const std::map<std::string, std::map<int, Address>> &functions();

#endif  // NEXUS_SIMULATED_CUDA_FUNCTIONS_HPP_
