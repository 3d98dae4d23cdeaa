// SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include "context.hpp"
#include "copy.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <algorithm>

namespace simulated_cuda {
namespace {

template <class T>
void fill_rows(const Fill &fill) {
  for (size_t row = 0; row < fill.rows; ++row) {
    auto *first = reinterpret_cast<T *>(static_cast<uintptr_t>(fill.begin + row * fill.pitch));
    std::fill_n(first, fill.width, static_cast<T>(fill.value));
  }
}

}  // namespace

void Fill::check() const {
  require(begin != 0 && begin % element == 0);
  require(rows <= 1 || (pitch >= width * element && pitch % element == 0));
  (void)device_range(begin, extent());
}

CUresult Fill::run() const {
  if (const CUresult planned = planned_fault("fill"); planned != CUDA_SUCCESS) return planned;
  const CUresult result = check_running(begin, extent());
  if (result != CUDA_SUCCESS) return result;
  if (element == 1) fill_rows<uint8_t>(*this);
  if (element == 2) fill_rows<uint16_t>(*this);
  if (element == 4) fill_rows<uint32_t>(*this);
  return CUDA_SUCCESS;
}

namespace {

CUresult later(const char *name, const Fill &fill, CUstream stream) {
  return call(name, Needs::kContext, [&](Call &call) {
    const auto in = stream_of(call, stream);
    if (fill.empty()) return;
    fill.check();
    in->add([fill] { return fill.run(); });
  });
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

// Without Async they are in the NULL stream, and don't wait either where memory is a device's.
#define SIMULATED_FILL(name, type, element)                                       \
  SIMULATED_EXPORT CUresult name##Async(CUdeviceptr to, type value, size_t count, \
                                        CUstream stream) {                        \
    return later(#name "Async", {to, value, element, count}, stream);             \
  }                                                                               \
  SIMULATED_EXPORT CUresult name##_v2(CUdeviceptr to, type value, size_t count) { \
    return later(#name, {to, value, element, count}, nullptr);                    \
  }
SIMULATED_FILL(cuMemsetD8, unsigned char, 1)
SIMULATED_FILL(cuMemsetD16, unsigned short, 2)
SIMULATED_FILL(cuMemsetD32, unsigned, 4)
#undef SIMULATED_FILL

#define SIMULATED_FILL_ROWS(name, type, element)                                                \
  SIMULATED_EXPORT CUresult name##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
                                        size_t height, CUstream stream) {                       \
    return later(#name "Async", {to, value, element, width, height, pitch}, stream);            \
  }                                                                                             \
  SIMULATED_EXPORT CUresult name##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,   \
                                      size_t height) {                                          \
    return later(#name, {to, value, element, width, height, pitch}, nullptr);                   \
  }
SIMULATED_FILL_ROWS(cuMemsetD2D8, unsigned char, 1)
SIMULATED_FILL_ROWS(cuMemsetD2D16, unsigned short, 2)
SIMULATED_FILL_ROWS(cuMemsetD2D32, unsigned, 4)
#undef SIMULATED_FILL_ROWS
