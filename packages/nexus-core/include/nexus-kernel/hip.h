/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel language for HIP. It uses clang's attributes and builtins and no HIP header,
 * so it works the same in hiprtc, which includes those headers, and in clang without them.
 * Functions that are more than one instruction are those of ROCm's device library (__ocml_*), which
 * hiprtc and hipcc link.
 */
#ifndef NEXUS_KERNEL_HIP_H_
#define NEXUS_KERNEL_HIP_H_

#define NXK_DEVICE __attribute__((device))
#define NXK_GLOBAL_FUNCTION __attribute__((global))
#define NXK_SHARED __attribute__((shared))
#define NXK_CONSTANT_MEMORY __attribute__((constant))
#define NXK_INLINE inline __attribute__((always_inline))
#define NXK_KEPT __attribute__((used, visibility("default")))
#define NXK_MAX_ITEMS(count) __attribute__((amdgpu_flat_work_group_size(count, count)))

#define NXK_BUILTIN_XYZ(builtin, dimension)                    \
  ((int)((dimension) == 0   ? __builtin_amdgcn_##builtin##_x() \
         : (dimension) == 1 ? __builtin_amdgcn_##builtin##_y() \
                            : __builtin_amdgcn_##builtin##_z()))
#define nxk_local_id(dimension) NXK_BUILTIN_XYZ(workitem_id, dimension)
#define nxk_group_id(dimension) NXK_BUILTIN_XYZ(workgroup_id, dimension)
#define nxk_group_size(dimension) NXK_BUILTIN_XYZ(workgroup_size, dimension)
#define nxk_group_count(dimension) \
  (NXK_BUILTIN_XYZ(grid_size, dimension) / NXK_BUILTIN_XYZ(workgroup_size, dimension))
#define nxk_synchronise()                                                               \
  (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), \
   __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))

#define nxk_bits(x) __builtin_bit_cast(int, x)
#define nxk_float(bits) __builtin_bit_cast(float, bits)
#define NXK_RELAXED __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
#define nxk_atomic_add(p, value) __hip_atomic_fetch_add(p, value, NXK_RELAXED)
#define nxk_atomic_min(p, value) __hip_atomic_fetch_min(p, value, NXK_RELAXED)
#define nxk_atomic_max(p, value) __hip_atomic_fetch_max(p, value, NXK_RELAXED)
#define nxk_atomic_exchange(p, value) __hip_atomic_exchange(p, value, NXK_RELAXED)

template <typename T>
static NXK_DEVICE NXK_INLINE T nxk_atomic_compare_exchange(T *p, T expected, T desired) {
  __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, NXK_RELAXED);
  return expected;
}

#define NXK_EXACT(name) NXK_OF_ONE(name, __builtin_##name##f)
#define NXK_ROUNDED(name)                                 \
  extern "C" NXK_DEVICE float __ocml_##name##_f32(float); \
  NXK_OF_ONE(name, __ocml_##name##_f32)
#define NXK_ROUNDED_OF_TWO(name)                                 \
  extern "C" NXK_DEVICE float __ocml_##name##_f32(float, float); \
  NXK_OF_TWO(name, __ocml_##name##_f32)

#include "cuda_like.h"

NXK_OF_ONE(sqrt, __builtin_sqrtf)
NXK_ROUNDED(erf)
NXK_ROUNDED(erfc)
NXK_OF_TWO(min, __builtin_fminf)
NXK_OF_TWO(max, __builtin_fmaxf)
NXK_OF_TWO(copysign, __builtin_copysignf)
NXK_ROUNDED_OF_TWO(hypot)
NEXUS_FUNCTION float nexus_fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
NEXUS_FUNCTION float nexus_clamp(float x, float low, float high) {
  return nexus_min(nexus_max(x, low), high);
}
NEXUS_FUNCTION int nexus_popcount(nexus_uint32 x) {
  return __builtin_popcount(x);
}
NEXUS_FUNCTION int nexus_clz(nexus_uint32 x) {
  return x == 0 ? 32 : __builtin_clz(x);
}

#endif /* NEXUS_KERNEL_HIP_H_ */
