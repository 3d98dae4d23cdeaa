// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver, and calls of it on behalf of HIP's. HIP is declared as in the simulation, apart
// from nexus-hip; CUDA as in nexus-cuda, which real drivers have shown to be right.
#ifndef NEXUS_HIP_OVER_CUDA_CUDA_HPP_
#define NEXUS_HIP_OVER_CUDA_CUDA_HPP_

#include "../../hip/driver.hpp"

#include <bit>
#include <driver/driver.hpp>
#include <type_traits>
#include <utility>

// Begins the definition of a function that programs call.
#define HIP_EXPORT extern "C" __attribute__((visibility("default")))
// Defines one that CUDA has too. What follows are the arguments for CUDA.
#define HIP_FORWARD(name, parameters, cuda_name, ...)                          \
  HIP_EXPORT hipError_t name parameters {                                      \
    return hip_over_cuda::forward(hip_over_cuda::cuda.cuda_name, __VA_ARGS__); \
  }

namespace hip_over_cuda {

using nexus_cuda::CUcontext, nexus_cuda::CUdevice, nexus_cuda::CUdeviceptr, nexus_cuda::CUevent,
    nexus_cuda::CUfunction, nexus_cuda::CUlibrary, nexus_cuda::CUresult, nexus_cuda::CUstream,
    nexus_cuda::CUDA_SUCCESS;

struct Cuda : nexus_cuda::Functions {
  nexus_plugin::DriverFunction<CUresult(CUcontext)> CtxSetCurrent{"cuCtxSetCurrent"};
};
extern Cuda cuda;

// Opens the driver (NEXUS_CUDA_DRIVER, else libcuda.so.1) and starts it, once.
CUresult start();

// The primary context of a device, which this library keeps.
CUresult find_context(int device, CUcontext &out);

// The device that this thread uses, and the failure that hipGetLastError tells.
struct ThreadState {
  int device = 0;
  hipError_t last_error = hipSuccess;
};
ThreadState &this_thread();

// Returns HIP's error for CUDA's, most of which have the same number, and remembers it.
hipError_t answer(CUresult result);

// Returns the answer to what call does with this thread's device current.
template <class Call>
hipError_t on_device(Call &&call) {
  CUcontext context = nullptr;
  CUresult result = find_context(this_thread().device, context);
  if (result == CUDA_SUCCESS) result = cuda.CtxSetCurrent(context);
  return answer(result == CUDA_SUCCESS ? call() : result);
}

// An argument of HIP as CUDA takes it: handles, addresses and structs have the same bytes.
template <class To, class From>
To as(From from) {
  if constexpr (std::is_class_v<To>) {
    return std::bit_cast<To>(from);
  } else if constexpr (std::is_pointer_v<From>) {
    return reinterpret_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}
template <class... Parameters, class... Arguments>
hipError_t forward(const nexus_plugin::DriverFunction<int(Parameters...)> &function,
                   Arguments... arguments) {
  return on_device([&] { return function(as<Parameters>(arguments)...); });
}

}  // namespace hip_over_cuda

#endif  // NEXUS_HIP_OVER_CUDA_CUDA_HPP_
