// SPDX-License-Identifier: Apache-2.0
#include "cuda.hpp"

#include <dlfcn.h>
#include <cstdlib>
#include <map>
#include <mutex>

namespace hip_over_cuda {

Cuda cuda;

namespace {

CUresult open_driver() {
  constexpr int kVersion = 12000;
  const char *const named = std::getenv("NEXUS_CUDA_DRIVER");
  void *const library = dlopen(named == nullptr ? "libcuda.so.1" : named, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nexus_cuda::CUDA_ERROR_NO_DEVICE;
  using Get = CUresult (*)(const char *, void **, int, uint64_t, int *);
  const auto get = reinterpret_cast<Get>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) return nexus_cuda::CUDA_ERROR_NO_DEVICE;
  const auto find = [&](auto &function, const char *name, int version) {
    void *found = nullptr;
    int status = 0;
    if (get(name, &found, version, 0, &status) == CUDA_SUCCESS) function.set(found);
  };
#define CU_FUNCTION(name, parameters) find(cuda.name, "cu" #name, kVersion);
#define CU_OPTIONAL(name, version, parameters) find(cuda.name, "cu" #name, version);
#include <driver/cuda_functions.def>
  find(cuda.CtxSetCurrent, "cuCtxSetCurrent", kVersion);
  return cuda.Init(0);
}

}  // namespace

CUresult start() {
  static const CUresult started = open_driver();
  return started;
}

CUresult find_context(int device, CUcontext &out) {
  static std::mutex mutex;
  static auto &known = *new std::map<int, CUcontext>;  // threads may need it at the end
  const std::lock_guard<std::mutex> lock(mutex);
  CUcontext &context = known[device];
  const CUresult result =
      context == nullptr ? cuda.DevicePrimaryCtxRetain(&context, device) : CUDA_SUCCESS;
  out = context;
  return result;
}

ThreadState &this_thread() {
  thread_local ThreadState state;
  return state;
}

hipError_t answer(CUresult result) {
  const auto error_of = [result] {
    constexpr int kFirstFault = 714, kLastFault = 718;  // illegal instructions and the like
    if (result >= kFirstFault && result <= kLastFault) return hipErrorLaunchFailure;
    if (result == nexus_cuda::CUDA_ERROR_NOT_PERMITTED) return hipErrorNotSupported;
    if (result == nexus_cuda::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) return hipErrorInvalidImage;
    return static_cast<hipError_t>(result);
  };
  const hipError_t error = error_of();
  if (error != hipSuccess && error != hipErrorNotReady) this_thread().last_error = error;
  return error;
}

}  // namespace hip_over_cuda
