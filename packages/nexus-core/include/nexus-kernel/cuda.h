/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernel language for CUDA C++: NVRTC without any header, nvcc, and clang. */
#ifndef NEXUS_KERNEL_CUDA_H_
#define NEXUS_KERNEL_CUDA_H_

#define NXK_DEVICE __device__
#define NXK_GLOBAL_FUNCTION __global__
#define NXK_SHARED __shared__
#define NXK_CONSTANT_MEMORY __constant__
#define NXK_INLINE __forceinline__
#define NXK_KEPT __attribute__((used))
#define NXK_MAX_ITEMS(count) __launch_bounds__(count)

#define nxk_local_id(dimension) NXK_PICK_XYZ(threadIdx, dimension)
#define nxk_group_id(dimension) NXK_PICK_XYZ(blockIdx, dimension)
#define nxk_group_size(dimension) NXK_PICK_XYZ(blockDim, dimension)
#define nxk_group_count(dimension) NXK_PICK_XYZ(gridDim, dimension)
#define nxk_synchronise() __syncthreads()

#define nxk_bits(x) __float_as_int(x)
#define nxk_float(bits) __int_as_float(bits)
#define nxk_atomic_add(p, value) atomicAdd(p, value)
#define nxk_atomic_min(p, value) atomicMin(p, value)
#define nxk_atomic_max(p, value) atomicMax(p, value)
#define nxk_atomic_exchange(p, value) atomicExch(p, value)
#define nxk_atomic_compare_exchange(p, expected, desired) atomicCAS(p, expected, desired)

/* Fast mathematics is a compiler option that changes these functions. */
#define NXK_EXACT(name) NXK_OF_ONE(name, name##f)
#define NXK_ROUNDED(name) NXK_OF_ONE(name, name##f)
#define NXK_ROUNDED_OF_TWO(name) NXK_OF_TWO(name, name##f)

#include "cuda_like.h"

NXK_OF_ONE(sqrt, sqrtf)
NXK_OF_ONE(erf, erff)
NXK_OF_ONE(erfc, erfcf)
NXK_OF_TWO(min, fminf)
NXK_OF_TWO(max, fmaxf)
NXK_OF_TWO(hypot, hypotf)
NXK_OF_TWO(copysign, copysignf)
NEXUS_FUNCTION float nexus_fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
NEXUS_FUNCTION float nexus_clamp(float x, float low, float high) {
  return fminf(fmaxf(x, low), high);
}
NEXUS_FUNCTION int nexus_popcount(nexus_uint32 x) {
  return __popc(x);
}
NEXUS_FUNCTION int nexus_clz(nexus_uint32 x) {
  return __clz((int)x);
}

#endif /* NEXUS_KERNEL_CUDA_H_ */
