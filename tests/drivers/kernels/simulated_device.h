/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program in CUDA C++ finds without including anything, for the host's compiler: enough for
 * the portable kernel language and plain kernels. Not there: warps' shuffles and votes, textures,
 * half precision, cooperative groups, most types of vectors.
 */
#ifndef NEXUS_SIMULATED_DEVICE_H_
#define NEXUS_SIMULATED_DEVICE_H_

#include "simulated_kernel.h"

#define __device__
#define __host__
#define __constant__
#define __global__ __attribute__((visibility("default")))
#define __shared__ constinit thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

/* ---- Where a thread is ---- */

extern "C"
    __attribute__((weak)) constinit thread_local nexus_simulated_block *nexus_simulated_current =
        nullptr;

struct uint3 {
  unsigned x, y, z;
};
#define NEXUS_SIMULATED_PLACE(member) \
  (*reinterpret_cast<const uint3 *>(nexus_simulated_current->member))
#define threadIdx NEXUS_SIMULATED_PLACE(thread)
#define blockIdx NEXUS_SIMULATED_PLACE(block)
#define blockDim NEXUS_SIMULATED_PLACE(block_size)
#define gridDim NEXUS_SIMULATED_PLACE(grid_size)

inline void __syncthreads() {
  nexus_simulated_current->synchronise(nexus_simulated_current);
}
/* The host's, without its headers, whose names programs may use. */
extern "C" int nexus_simulated_clock(int clock,
                                     long *seconds_and_nanoseconds) __asm__("clock_gettime");
inline long long clock64() { /* in nanoseconds */
  long now[2];
  nexus_simulated_clock(1, now);
  return now[0] * 1000000000LL + now[1];
}
[[noreturn]] inline void __trap() {
  nexus_simulated_current->trap(nexus_simulated_current);
  __builtin_unreachable();
}
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

/* ---- Bits, atomics ---- */

inline int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
inline float __int_as_float(int bits) {
  return __builtin_bit_cast(float, bits);
}
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
template <class T>
inline T atomicCAS(T *p, T expected, T desired) {
  __atomic_compare_exchange(p, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
inline T atomicExch(T *p, T value) {
  T before;
  __atomic_exchange(p, &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class T, class Change>
inline T nexus_simulated_update(T *p, Change change) {
  T before;
  __atomic_load(p, &before, __ATOMIC_RELAXED);
  for (T after = change(before);
       !__atomic_compare_exchange(p, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
       after = change(before)) {
  }
  return before;
}
template <class T>
inline T atomicAdd(T *p, T value) {
  return nexus_simulated_update(p, [value](T x) { return static_cast<T>(x + value); });
}
template <class T>
inline T atomicMin(T *p, T value) {
  return nexus_simulated_update(p, [value](T x) { return value < x ? value : x; });
}
template <class T>
inline T atomicMax(T *p, T value) {
  return nexus_simulated_update(p, [value](T x) { return value > x ? value : x; });
}

/* ---- Mathematics ---- */

#define NEXUS_SIMULATED_OF_ONE(name)       \
  extern "C" double name(double) noexcept; \
  extern "C" float name##f(float) noexcept;
#define NEXUS_SIMULATED_OF_TWO(name)               \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept;
NEXUS_SIMULATED_OF_ONE(sqrt)
NEXUS_SIMULATED_OF_ONE(fabs)
NEXUS_SIMULATED_OF_ONE(floor)
NEXUS_SIMULATED_OF_ONE(ceil)
NEXUS_SIMULATED_OF_ONE(trunc)
NEXUS_SIMULATED_OF_ONE(round)
NEXUS_SIMULATED_OF_ONE(exp)
NEXUS_SIMULATED_OF_ONE(exp2)
NEXUS_SIMULATED_OF_ONE(log)
NEXUS_SIMULATED_OF_ONE(log2)
NEXUS_SIMULATED_OF_ONE(log10)
NEXUS_SIMULATED_OF_ONE(sin)
NEXUS_SIMULATED_OF_ONE(cos)
NEXUS_SIMULATED_OF_ONE(tan)
NEXUS_SIMULATED_OF_ONE(asin)
NEXUS_SIMULATED_OF_ONE(acos)
NEXUS_SIMULATED_OF_ONE(atan)
NEXUS_SIMULATED_OF_ONE(sinh)
NEXUS_SIMULATED_OF_ONE(cosh)
NEXUS_SIMULATED_OF_ONE(tanh)
NEXUS_SIMULATED_OF_ONE(erf)
NEXUS_SIMULATED_OF_ONE(erfc)
NEXUS_SIMULATED_OF_TWO(fmod)
NEXUS_SIMULATED_OF_TWO(fmin)
NEXUS_SIMULATED_OF_TWO(fmax)
NEXUS_SIMULATED_OF_TWO(pow)
NEXUS_SIMULATED_OF_TWO(atan2)
NEXUS_SIMULATED_OF_TWO(hypot)
NEXUS_SIMULATED_OF_TWO(copysign)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
template <class T>
inline T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
inline T max(T a, T b) {
  return a < b ? b : a;
}
extern "C" int printf(const char *format, ...);

#endif /* NEXUS_SIMULATED_DEVICE_H_ */
