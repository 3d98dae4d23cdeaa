// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FAILURE_HPP_
#define NEXUS_SIMULATED_CUDA_FAILURE_HPP_

#include "types.hpp"

#include <string>

namespace simulated_cuda {

// Thrown inside a function of the driver, which returns the result.
struct Failure {
  CUresult result;
};

[[noreturn]] inline void fail(CUresult result) {
  throw Failure{result};
}

inline void require(bool condition, CUresult otherwise = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) fail(otherwise);
}

// Notes what a caller must never do, for tests to see (simulated_cuda_misuse), and fails with
// CUDA_ERROR_INVALID_HANDLE. NVIDIA's driver may well crash there.
[[noreturn]] void misused(const std::string &what, CUresult result = CUDA_ERROR_INVALID_HANDLE);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FAILURE_HPP_
