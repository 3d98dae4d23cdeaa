// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_RESULTS_HPP_
#define NEXUS_SIMULATED_CUDA_RESULTS_HPP_

#include <cstdint>

enum CUresult : int32_t {
#define CUDA_RESULT(name, number) name = number,
#include "results.def"
};

#endif  // NEXUS_SIMULATED_CUDA_RESULTS_HPP_
