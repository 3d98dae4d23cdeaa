// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_MEMORY_HPP_
#define NEXUS_SIMULATED_CUDA_MEMORY_HPP_

#include "call.hpp"
#include "types.hpp"

namespace simulated_cuda {

inline uintptr_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
inline void *pointer(CUdeviceptr device) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(device));
}

// The allocation that the whole range lies in and the device reaches; throws
// CUDA_ERROR_INVALID_VALUE.
Allocation &device_range(CUdeviceptr begin, size_t size);

// The same while work runs: where the memory is gone by then, CUDA_ERROR_ILLEGAL_ADDRESS.
CUresult check_running(CUdeviceptr begin, size_t size);

// Gives back what the allocation took and forgets it.
void release(Allocation &allocation);
// All that was allocated in the context.
void free_all(const Context &context);

// What a synchronisation lets the pools of the context's device give back.
void trim_pools(const Context &context);

// Memory of the host in whole pages, or throws CUDA_ERROR_OUT_OF_MEMORY.
uintptr_t map_host(size_t size);
void unmap_host(uintptr_t begin, size_t size);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_MEMORY_HPP_
