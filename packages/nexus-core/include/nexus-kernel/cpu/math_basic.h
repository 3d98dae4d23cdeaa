/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's mathematics: signs, comparisons, rounding, roots, and integers. */
#ifndef NEXUS_KERNEL_CPU_MATH_BASIC_H_
#define NEXUS_KERNEL_CPU_MATH_BASIC_H_

#include "math_base.h"

NXK_MATH float nexus_fabs(float x) {
  return __builtin_fabsf(x);
}

NXK_MATH float nexus_copysign(float x, float sign) {
  return __builtin_copysignf(x, sign);
}

/* These two test the bits, so they work under fast mathematics too. 1 or 0. */
NXK_MATH int nexus_isnan(float x) {
  return (nxk_bits(x) & 0x7fffffffu) > 0x7f800000u;
}
NXK_MATH int nexus_isinf(float x) {
  return (nxk_bits(x) & 0x7fffffffu) == 0x7f800000u;
}

/* If one of the two is a nan, the other (fast mathematics: either). */
NXK_MATH float nexus_min(float a, float b) {
#if NXK_FAST_MATH
  return a < b ? a : b;
#else
  float less = a < b ? a : b;
  return b != b ? a : less;
#endif
}

NXK_MATH float nexus_max(float a, float b) {
#if NXK_FAST_MATH
  return a > b ? a : b;
#else
  float greater = a > b ? a : b;
  return b != b ? a : greater;
#endif
}

NXK_MATH float nexus_clamp(float x, float low, float high) {
  return nexus_min(nexus_max(x, low), high);
}

/* x truncated to a whole number; unchanged if it has no fraction. */
NXK_MATH float nexus_trunc(float x) {
#if NXK_ROUNDS
  return __builtin_truncf(x);
#else
  float size = nexus_fabs(x);
  int has_fraction = size < 8388608.0f;
  float cut = (float)(nexus_int32)(has_fraction ? size : 0.0f);
  return has_fraction ? nexus_copysign(cut, x) : x;
#endif
}

NXK_MATH float nexus_floor(float x) {
#if NXK_ROUNDS
  return __builtin_floorf(x);
#else
  float cut = nexus_trunc(x);
  float below = cut - 1.0f;
  return cut > x ? below : cut;
#endif
}

NXK_MATH float nexus_ceil(float x) {
#if NXK_ROUNDS
  return __builtin_ceilf(x);
#else
  float cut = nexus_trunc(x);
  float above = nexus_copysign(cut + 1.0f, x); /* -0 for what is above -1 */
  return cut < x ? above : cut;
#endif
}

/* Halves away from zero. The float before a half is added: a half would carry 0.49999997 to 1. */
NXK_MATH float nexus_round(float x) {
  return nexus_trunc(x + nexus_copysign(0.49999997f, x));
}

/* a * b + c with one rounding, also if the processor has no such instruction: the sum of the
 * exact product and c is rounded to odd in double, which a second rounding can't spoil. (gcc's fast
 * mathematics takes `lost` for 0, and the result is rounded twice.) */
NXK_MATH float nexus_fma(float a, float b, float c) {
#if NXK_FMA
  return __builtin_fmaf(a, b, c);
#else
  NXK_IN_ORDER
  double product = (double)a * (double)b;
  double addend = (double)c;
  double sum = product + addend;
  double part = sum - product;
  double lost = (product - (sum - part)) + (addend - part);
  nexus_uint64 bits = nxk_wide_bits(sum);
  int inexact = (lost < 0.0) | (lost > 0.0);
  int outwards = (lost < 0.0) == (sum < 0.0);
  nexus_uint64 even = ~bits & 1u;
  nexus_uint64 step = outwards ? even : (nexus_uint64)0 - even;
  return (float)nxk_double(inexact ? bits + step : bits);
#endif
}

NXK_MATH float nexus_sqrt(float x) {
  return __builtin_sqrtf(x);
}

/* A quotient of rounded numbers, up to 1.5 ulp off. A step of Newton's would mend that and cost
 * half as much again, of which sums over all pairs of bodies are made. */
NXK_MATH float nexus_rsqrt(float x) {
#if NXK_FMA && !NXK_FAST_MATH
  /* Roots and divisions wait for one and the same part of the processor, so the quotient is made of
   * products: a guess from the bits, whose product with the root is from 3/4 to 25/32, the best
   * line for the reciprocal of that (within 2^-12.2), and what is left of 1, to the third power.
   * All of it is odd, and from 0 the last step overflows as 1 / 0 does. */
  float root = __builtin_sqrtf(x);
  float y = nxk_float(0x7ec00000u - nxk_bits(root));
  float left;
  y = y * __builtin_fmaf(root * y, -1.70631123f, 2.61278915f);
  left = __builtin_fmaf(-root, y, 1.0f);
  y = __builtin_fmaf(y, __builtin_fmaf(left, left, left), y);
  return x == __builtin_inff() ? 0.0f : y;
#else
  return 1.0f / __builtin_sqrtf(x);
#endif
}

/* In double the squares neither overflow nor vanish. */
NXK_MATH float nexus_hypot(float x, float y) {
  double square = (double)x * (double)x + (double)y * (double)y;
  float length = (float)__builtin_sqrt(square);
#if NXK_FAST_MATH
  return length;
#else
  int infinite = nexus_isinf(x) | nexus_isinf(y);
  return infinite ? __builtin_inff() : length;
#endif
}

/* One step of a long division: r, below 2^29 y 2^n, becomes the remainder of r by y 2^n. Exact: a
 * quotient of 29 bits times the 24 bits of y, and the remainder, fit in a double. */
NXK_MATH double nxk_remainder_step(double r, double y, double reciprocal, double power) {
  double unit = y * power;
  double quotient = nxk_wide_nearest(r * (reciprocal * (1.0 / power)));
  double rest = r - quotient * unit;
  double lifted = rest + unit;
  return rest < 0.0 ? lifted : rest;
}

/* The remainder of x / y with the sign of x, exact. Quotients reach 2^277: ten steps of 28 bits. */
NXK_MATH float nexus_fmod(float x, float y) {
  double size = (double)nexus_fabs(y);
  double reciprocal = 1.0 / size;
  double r = (double)nexus_fabs(x);
  float result;
  r = nxk_remainder_step(r, size, reciprocal, 7.2370055773322622e75); /* 2^252 */
  r = nxk_remainder_step(r, size, reciprocal, 2.6959946667150639e67); /* 2^224 */
  r = nxk_remainder_step(r, size, reciprocal, 1.0043362776618689e59); /* 2^196 */
  r = nxk_remainder_step(r, size, reciprocal, 3.7414441915671115e50); /* 2^168 */
  r = nxk_remainder_step(r, size, reciprocal, 1.3937965749081639e42); /* 2^140 */
  r = nxk_remainder_step(r, size, reciprocal, 5.1922968585348276e33); /* 2^112 */
  r = nxk_remainder_step(r, size, reciprocal, 1.9342813113834067e25); /* 2^84 */
  r = nxk_remainder_step(r, size, reciprocal, 7.2057594037927936e16); /* 2^56 */
  r = nxk_remainder_step(r, size, reciprocal, 268435456.0);           /* 2^28 */
  r = nxk_remainder_step(r, size, reciprocal, 1.0);
  result = nexus_fabs(x) < nexus_fabs(y) ? nexus_fabs(x) : (float)r;
  return nexus_copysign(result, x);
}

NXK_MATH int nexus_imin(int a, int b) {
  return a < b ? a : b;
}

NXK_MATH int nexus_imax(int a, int b) {
  return a > b ? a : b;
}

/* Of -2^31, which has no positive counterpart: -2^31. */
NXK_MATH int nexus_iabs(int x) {
  return x < 0 ? (int)(0u - (nexus_uint32)x) : x;
}

/* The number of ones. Written out: gcc calls a function where there is no instruction. */
NXK_MATH int nexus_popcount(nexus_uint32 x) {
  x = x - ((x >> 1) & 0x55555555u);
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return (int)((x * 0x01010101u) >> 24);
}

/* The number of zeros above the highest one; 32 for 0. */
NXK_MATH int nexus_clz(nexus_uint32 x) {
#if defined(__clang__)
  return x == 0u ? 32 : __builtin_clz(x);
#else
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  return 32 - nexus_popcount(x);
#endif
}

#endif /* NEXUS_KERNEL_CPU_MATH_BASIC_H_ */
