// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_COPY_HPP_
#define NEXUS_SIMULATED_CUDA_COPY_HPP_

#include "call.hpp"
#include "types.hpp"

#include <functional>

namespace simulated_cuda {

// What a call says that an address is.
enum class Side { kHost, kDevice, kUnified };

struct Place {
  uintptr_t begin;
  Side side;
};

inline Place host(const void *memory) {
  return {reinterpret_cast<uintptr_t>(memory), Side::kHost};
}
inline Place device(CUdeviceptr memory) {
  return {static_cast<uintptr_t>(memory), Side::kDevice};
}
inline Place unified(CUdeviceptr memory) {
  return {static_cast<uintptr_t>(memory), Side::kUnified};
}

// A copy of rows and layers; one row is a plain copy.
struct Copy {
  Place to;
  Place from;
  size_t size;  // bytes of a row
  size_t rows = 1, layers = 1;
  size_t to_pitch = 0, from_pitch = 0;
  size_t to_layer = 0, from_layer = 0;  // bytes from one layer to the next

  size_t extent(size_t pitch, size_t layer) const {
    return (layers - 1) * layer + (rows - 1) * pitch + size;
  }
  size_t to_extent() const { return extent(to_pitch, to_layer); }
  size_t from_extent() const { return extent(from_pitch, from_layer); }
  bool empty() const { return size == 0 || rows == 0 || layers == 0; }

  // Throws CUDA_ERROR_INVALID_VALUE.
  void check() const;
  // By a stream's thread.
  CUresult run() const;
};

// Copies in the stream. As the driver does: memory of the host that is not page-locked is read
// before this returns, or written.
void copy_async(Call &call, CUstream stream, const Copy &copy);
// In the NULL stream, and waits.
void copy_now(Call &call, const Copy &copy);

// Throws where it means arrays.
Copy copy_of(const CUDA_MEMCPY3D &what);

// Work of a kind runs: what it has to fail with on demand.
CUresult planned_fault(const char *kind);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_COPY_HPP_
