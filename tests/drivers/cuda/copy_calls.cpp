// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"
#include "copy.hpp"

using namespace simulated_cuda;

namespace {

CUresult now(const char *name, const Copy &copy) {
  return call(name, Needs::kContext, [&](Call &call) { copy_now(call, copy); });
}

CUresult later(const char *name, const Copy &copy, CUstream stream) {
  return call(name, Needs::kContext, [&](Call &call) { copy_async(call, stream, copy); });
}

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D &what) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = what.srcXInBytes;
  copy.srcY = what.srcY;
  copy.srcMemoryType = what.srcMemoryType;
  copy.srcHost = what.srcHost;
  copy.srcDevice = what.srcDevice;
  copy.srcPitch = what.srcPitch;
  copy.dstXInBytes = what.dstXInBytes;
  copy.dstY = what.dstY;
  copy.dstMemoryType = what.dstMemoryType;
  copy.dstHost = what.dstHost;
  copy.dstDevice = what.dstDevice;
  copy.dstPitch = what.dstPitch;
  copy.WidthInBytes = what.WidthInBytes;
  copy.Height = what.Height;
  copy.Depth = 1;
  return copy;
}

}  // namespace

SIMULATED_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  return now("cuMemcpyHtoD", {device(to), host(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  return now("cuMemcpyDtoH", {host(to), device(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return now("cuMemcpyDtoD", {device(to), device(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return now("cuMemcpy", {unified(to), unified(from), size});
}

SIMULATED_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size,
                                               CUstream stream) {
  return later("cuMemcpyHtoDAsync", {device(to), host(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                                               CUstream stream) {
  return later("cuMemcpyDtoHAsync", {host(to), device(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size,
                                               CUstream stream) {
  return later("cuMemcpyDtoDAsync", {device(to), device(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
                                        CUstream stream) {
  return later("cuMemcpyAsync", {unified(to), unified(from), size}, stream);
}

SIMULATED_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                            CUcontext from_context, size_t size, CUstream stream) {
  return call("cuMemcpyPeerAsync", Needs::kContext, [&](Call &call) {
    (void)context_of(to_context);
    (void)context_of(from_context);
    copy_async(call, stream, {device(to), device(from), size});
  });
}

SIMULATED_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                       CUcontext from_context, size_t size) {
  return call("cuMemcpyPeer", Needs::kContext, [&](Call &call) {
    (void)context_of(to_context);
    (void)context_of(from_context);
    copy_now(call, {device(to), device(from), size});
  });
}

SIMULATED_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *what, CUstream stream) {
  return call("cuMemcpy3DAsync", Needs::kContext, [&](Call &call) {
    require(what != nullptr);
    copy_async(call, stream, copy_of(*what));
  });
}

SIMULATED_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *what) {
  return call("cuMemcpy3D", Needs::kContext, [&](Call &call) {
    require(what != nullptr);
    copy_now(call, copy_of(*what));
  });
}

SIMULATED_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *what, CUstream stream) {
  return call("cuMemcpy2DAsync", Needs::kContext, [&](Call &call) {
    require(what != nullptr);
    copy_async(call, stream, copy_of(flat(*what)));
  });
}

SIMULATED_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *what) {
  return call("cuMemcpy2D", Needs::kContext, [&](Call &call) {
    require(what != nullptr);
    copy_now(call, copy_of(flat(*what)));
  });
}
