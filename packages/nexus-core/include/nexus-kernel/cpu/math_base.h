/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The basis of the CPU's mathematics: bits of floats, rounding, and arithmetic that fast
 * mathematics must not rearrange. Not for use in kernels.
 *
 * Everything is straight-line code with selects, so that a loop over work items vectorises. Compile
 * with -fno-math-errno and -fno-trapping-math; without them the results are the same, but gcc and
 * clang vectorise less.
 */
#ifndef NEXUS_KERNEL_CPU_MATH_BASE_H_
#define NEXUS_KERNEL_CPU_MATH_BASE_H_

#include "descriptor.h"

/* Fast mathematics: shorter polynomials; nan, infinities, -0 and denormals are not handled. */
#if defined(__FAST_MATH__) || defined(NEXUS_FAST_MATH)
#define NXK_FAST_MATH 1
#else
#define NXK_FAST_MATH 0
#endif

/* The processor rounds floats to integers in one instruction. */
#if defined(__SSE4_1__) || defined(__aarch64__)
#define NXK_ROUNDS 1
#else
#define NXK_ROUNDS 0
#endif

#define NXK_MATH static inline __attribute__((always_inline, unused))

/* The processor multiplies and adds with one rounding. */
#if defined(__FMA__) || defined(__FMA4__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
#define NXK_FMA 1
#else
#define NXK_FMA 0
#endif

/* First in a function: its sums are not rearranged. gcc has no equivalent that survives its
 * vectoriser. */
#if defined(__clang__)
#define NXK_IN_ORDER _Pragma("clang fp reassociate(off)")
#else
#define NXK_IN_ORDER
#endif

NXK_MATH nexus_uint32 nxk_bits(float x) {
  nexus_uint32 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

NXK_MATH float nxk_float(nexus_uint32 bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

NXK_MATH nexus_uint64 nxk_wide_bits(double x) {
  nexus_uint64 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

NXK_MATH double nxk_double(nexus_uint64 bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

/* The nearest whole number, halves to even, of |x| <= 2^22: a float. */
NXK_MATH float nxk_nearest(float x) {
#if NXK_ROUNDS
  return __builtin_rintf(x);
#elif NXK_FAST_MATH
  return (float)(nexus_int32)(nxk_bits(x + 12582912.0f) - 0x4b400000u);
#else
  return (x + 12582912.0f) - 12582912.0f;
#endif
}

/* x - n (high + low), where n high is exact and close to x. Fast mathematics may take the two
 * products together, which loses what the parts are for: an instruction of its own is left alone,
 * and in double one product is enough. */
NXK_MATH float nxk_less_multiple(float x, float n, float high, float low) {
#if NXK_FMA
  return __builtin_fmaf(n, -low, __builtin_fmaf(n, -high, x));
#elif NXK_FAST_MATH && !defined(__clang__)
  return (float)((double)x - (double)n * ((double)high + (double)low));
#else
  NXK_IN_ORDER
  return (x - n * high) - n * low;
#endif
}

/* 2^n for a whole n from -126 to 127. Any other n: any float, and no undefined behaviour. */
NXK_MATH float nxk_power_of_2(float n) {
  return nxk_float((nxk_bits(n + 12582912.0f) << 23) + 0x3f800000u);
}

/* The low bits of the whole number nearest to n, |n| <= 2^50, as two's complement. */
NXK_MATH nexus_uint64 nxk_whole_bits(double n) {
  return nxk_wide_bits(n + 6755399441055744.0);
}

/* The nearest whole number, halves to even, of |x| <= 2^50 (fast mathematics: 2^30). */
NXK_MATH double nxk_wide_nearest(double x) {
#if NXK_ROUNDS
  return __builtin_rint(x);
#elif NXK_FAST_MATH
  return (double)(nexus_int32)(nexus_uint32)nxk_whole_bits(x);
#else
  return (x + 6755399441055744.0) - 6755399441055744.0;
#endif
}

/* a where the lowest bit is set, else b. Processors that lack rounding also lack a comparison of
 * vectors of 64-bit integers. */
NXK_MATH double nxk_wide_choose(nexus_uint64 bit, double a, double b) {
#if NXK_ROUNDS
  return (bit & 1u) != 0u ? a : b;
#else
  nexus_uint64 mask = 0u - (bit & 1u);
  return nxk_double((nxk_wide_bits(a) & mask) | (nxk_wide_bits(b) & ~mask));
#endif
}

/* 2^n for a whole n from -1022 to 1023. */
NXK_MATH double nxk_wide_power_of_2(double n) {
  return nxk_double((nxk_whole_bits(n) << 52) + 0x3ff0000000000000u);
}

#endif /* NEXUS_KERNEL_CPU_MATH_BASE_H_ */
