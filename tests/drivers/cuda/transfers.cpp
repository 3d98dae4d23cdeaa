// SPDX-License-Identifier: Apache-2.0
#include "../simulator/transfer.hpp"

using namespace simulator;

namespace {

CUresult copy(const char *name, const Copy &what) {
  return call(name, Needs::kContext, [&](Call &call) { copy_now(call, what); });
}

CUresult copy(const char *name, const Copy &what, CUstream stream) {
  return call(name, Needs::kContext, [&](Call &call) { copy_async(call, stream, what); });
}

CUresult fill(const char *name, const Fill &what, CUstream stream) {
  return call(name, Needs::kContext, [&](Call &call) { fill_async(call, stream, what); });
}

}  // namespace

SIMULATED_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  return copy("cuMemcpyHtoD", {on_device(to), on_host(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  return copy("cuMemcpyDtoH", {on_host(to), on_device(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size,
                                               CUstream stream) {
  return copy("cuMemcpyHtoDAsync", {on_device(to), on_host(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                                               CUstream stream) {
  return copy("cuMemcpyDtoHAsync", {on_host(to), on_device(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size,
                                               CUstream stream) {
  return copy("cuMemcpyDtoDAsync", {on_device(to), on_device(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                                        CUstream stream) {
  return copy("cuMemcpyAsync", {anywhere(to), anywhere(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *what, CUstream stream) {
  return call("cuMemcpy3DAsync", Needs::kContext, [&](Call &call) {
    require(what != nullptr);
    require(what->srcXInBytes == 0 && what->srcY == 0 && what->srcZ == 0 &&
                what->dstXInBytes == 0 && what->dstY == 0 && what->dstZ == 0 &&
                what->srcMemoryType == CU_MEMORYTYPE_UNIFIED &&
                what->dstMemoryType == CU_MEMORYTYPE_UNIFIED,
            CUDA_ERROR_NOT_SUPPORTED);
    copy_async(call, stream,
               RowCopy{anywhere(what->dstDevice), what->dstPitch, what->dstHeight,
                       anywhere(what->srcDevice), what->srcPitch, what->srcHeight,
                       what->WidthInBytes, what->Height, what->Depth});
  });
}

// Without Async it is in the NULL stream, and does not wait either where memory is a device's.
SIMULATED_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fill("cuMemsetD8", {to, value, 1, count}, nullptr);
}

SIMULATED_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fill("cuMemsetD32", {to, value, 4, count}, nullptr);
}

#define SIMULATED_FILL(bits, type)                                                                 \
  SIMULATED_EXPORT CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count,       \
                                                   CUstream stream) {                              \
    return fill("cuMemsetD" #bits "Async", {to, value, bits / 8, count}, stream);                  \
  }                                                                                                \
  SIMULATED_EXPORT CUresult cuMemsetD2D##bits##Async(                                              \
      CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream) {    \
    return fill("cuMemsetD2D" #bits "Async", {to, value, bits / 8, width, height, pitch}, stream); \
  }
SIMULATED_FILL(8, unsigned char)
SIMULATED_FILL(16, unsigned short)
SIMULATED_FILL(32, unsigned)
