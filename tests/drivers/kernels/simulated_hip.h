/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program in HIP C++ finds beside what it shares with CUDA C++ (simulated_device.h): clang's
 * builtins for AMD's GPUs and ROCm's device library, as far as the portable language uses them.
 */
#ifndef NEXUS_SIMULATED_HIP_H_
#define NEXUS_SIMULATED_HIP_H_

#include "simulated_device.h"

#define __builtin_amdgcn_workitem_id_x() threadIdx.x
#define __builtin_amdgcn_workitem_id_y() threadIdx.y
#define __builtin_amdgcn_workitem_id_z() threadIdx.z
#define __builtin_amdgcn_workgroup_id_x() blockIdx.x
#define __builtin_amdgcn_workgroup_id_y() blockIdx.y
#define __builtin_amdgcn_workgroup_id_z() blockIdx.z
#define __builtin_amdgcn_workgroup_size_x() blockDim.x
#define __builtin_amdgcn_workgroup_size_y() blockDim.y
#define __builtin_amdgcn_workgroup_size_z() blockDim.z
#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)
#define __builtin_amdgcn_grid_size_y() (gridDim.y * blockDim.y)
#define __builtin_amdgcn_grid_size_z() (gridDim.z * blockDim.z)
#define __builtin_amdgcn_fence(order, scope) ((void)0)
#define __builtin_amdgcn_s_barrier() __syncthreads()

#define __HIP_MEMORY_SCOPE_AGENT 4
#define __hip_atomic_fetch_add(p, value, ...) atomicAdd(p, value)
#define __hip_atomic_fetch_min(p, value, ...) atomicMin(p, value)
#define __hip_atomic_fetch_max(p, value, ...) atomicMax(p, value)
#define __hip_atomic_exchange(p, value, ...) atomicExch(p, value)
#define __hip_atomic_compare_exchange_strong(p, expected, desired, ...) \
  (*(expected) = atomicCAS(p, *(expected), desired))

#define NEXUS_SIMULATED_OCML(name)                                      \
  extern "C" __attribute__((weak)) float __ocml_##name##_f32(float x) { \
    return name##f(x);                                                  \
  }
#define NEXUS_SIMULATED_OCML_OF_TWO(name)                                        \
  extern "C" __attribute__((weak)) float __ocml_##name##_f32(float x, float y) { \
    return name##f(x, y);                                                        \
  }
NEXUS_SIMULATED_OCML(rsqrt)
NEXUS_SIMULATED_OCML(exp)
NEXUS_SIMULATED_OCML(exp2)
NEXUS_SIMULATED_OCML(log)
NEXUS_SIMULATED_OCML(log2)
NEXUS_SIMULATED_OCML(log10)
NEXUS_SIMULATED_OCML(sin)
NEXUS_SIMULATED_OCML(cos)
NEXUS_SIMULATED_OCML(tan)
NEXUS_SIMULATED_OCML(asin)
NEXUS_SIMULATED_OCML(acos)
NEXUS_SIMULATED_OCML(atan)
NEXUS_SIMULATED_OCML(sinh)
NEXUS_SIMULATED_OCML(cosh)
NEXUS_SIMULATED_OCML(tanh)
NEXUS_SIMULATED_OCML(erf)
NEXUS_SIMULATED_OCML(erfc)
NEXUS_SIMULATED_OCML_OF_TWO(fmod)
NEXUS_SIMULATED_OCML_OF_TWO(pow)
NEXUS_SIMULATED_OCML_OF_TWO(atan2)
NEXUS_SIMULATED_OCML_OF_TWO(hypot)

#endif /* NEXUS_SIMULATED_HIP_H_ */
