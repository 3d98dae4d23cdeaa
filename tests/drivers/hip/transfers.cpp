// SPDX-License-Identifier: Apache-2.0
#include "../simulator/transfer.hpp"

#include "devices.hpp"
#include "work.hpp"

using namespace simulator;

Copy simulator::copy_of(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  require(kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault, hipErrorInvalidMemcpyDirection);
  const auto place = [kind](const void *memory, hipMemcpyKind of_device) {
    if (kind == hipMemcpyDefault) return anywhere(reinterpret_cast<uintptr_t>(memory));
    const bool device = kind == of_device || kind == hipMemcpyDeviceToDevice;
    return device ? on_device(reinterpret_cast<uintptr_t>(memory)) : on_host(memory);
  };
  return {place(to, hipMemcpyHostToDevice), place(from, hipMemcpyDeviceToHost), size};
}

namespace {

hipError_t fill(const char *name, hipStream_t stream, const Fill &what) {
  return stream_call(name, stream,
                     [&](Call &call, const auto &) { fill_async(call, stream, what); });
}

uintptr_t number(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

}  // namespace

SIMULATED_EXPORT hipError_t hipMemcpyAsync(void *to, const void *from, size_t size,
                                           hipMemcpyKind kind, hipStream_t stream) {
  return stream_call("hipMemcpyAsync", stream, [&](Call &call, const auto &) {
    copy_async(call, stream, copy_of(to, from, size, kind));
  });
}

SIMULATED_EXPORT hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from,
                                               int from_device, size_t size, hipStream_t stream) {
  return stream_call("hipMemcpyPeerAsync", stream, [&](Call &call, const auto &) {
    (void)device_of(to_device);
    (void)device_of(from_device);
    copy_async(call, stream, copy_of(to, from, size, hipMemcpyDeviceToDevice));
  });
}

SIMULATED_EXPORT hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *what, hipStream_t stream) {
  return stream_call("hipMemcpy3DAsync", stream, [&](Call &call, const auto &) {
    require(what != nullptr && what->srcArray == nullptr && what->dstArray == nullptr);
    const Copy first = copy_of(what->dstPtr.ptr, what->srcPtr.ptr, what->extent.width, what->kind);
    copy_async(
        call, stream,
        RowCopy{first.to, what->dstPtr.pitch, what->dstPtr.ysize, first.from, what->srcPtr.pitch,
                what->srcPtr.ysize, what->extent.width, what->extent.height, what->extent.depth});
  });
}

SIMULATED_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                                             hipStream_t stream) {
  return fill("hipMemsetD8Async", stream, {number(to), value, 1, count});
}

SIMULATED_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                                              hipStream_t stream) {
  return fill("hipMemsetD16Async", stream, {number(to), value, 2, count});
}

SIMULATED_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count,
                                              hipStream_t stream) {
  return fill("hipMemsetD32Async", stream, {number(to), static_cast<unsigned>(value), 4, count});
}

SIMULATED_EXPORT hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                             size_t height, hipStream_t stream) {
  const auto byte = static_cast<unsigned char>(value);
  return fill("hipMemset2DAsync", stream, {number(to), byte, 1, width, height, pitch});
}

SIMULATED_EXPORT hipError_t hipMemsetD2D16Async(hipDeviceptr_t to, size_t pitch,
                                                unsigned short value, size_t width, size_t height,
                                                hipStream_t stream) {
  return fill("hipMemsetD2D16Async", stream, {number(to), value, 2, width, height, pitch});
}

SIMULATED_EXPORT hipError_t hipMemsetD2D32Async(hipDeviceptr_t to, size_t pitch, unsigned value,
                                                size_t width, size_t height, hipStream_t stream) {
  return fill("hipMemsetD2D32Async", stream, {number(to), value, 4, width, height, pitch});
}
