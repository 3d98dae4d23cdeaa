// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FILL_HPP_
#define NEXUS_SIMULATED_CUDA_FILL_HPP_

#include "types.hpp"

#include <cstddef>

namespace simulated_cuda {

// Rows of elements that get a value.
struct Fill {
  CUdeviceptr begin;
  unsigned value;
  size_t element;  // bytes: 1, 2 or 4
  size_t width;    // elements of a row
  size_t rows = 1;
  size_t pitch = 0;  // bytes from one row to the next

  bool empty() const { return width == 0 || rows == 0; }
  size_t extent() const { return (rows - 1) * pitch + width * element; }
  // Throws CUDA_ERROR_INVALID_VALUE.
  void check() const;
  // By a stream's thread.
  CUresult run() const;
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FILL_HPP_
