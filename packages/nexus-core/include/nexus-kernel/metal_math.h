/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematics of the portable kernel language in Metal: the precise functions, also if a program
 * is compiled with Metal's fast mathematics by default; the fast ones under NEXUS_FAST_MATH. Metal
 * has no erf, erfc and hypot: they are ours.
 */
#ifndef NEXUS_KERNEL_METAL_MATH_H_
#define NEXUS_KERNEL_METAL_MATH_H_

#if defined(NEXUS_FAST_MATH)
#define NXK_VARIANT metal::fast
#else
#define NXK_VARIANT metal::precise
#endif

#define nxk_unsigned_bits(x) as_type<unsigned int>(x)
#define NXK_EXACT(name) NXK_OF_ONE(name, metal::name) /* the same in both variants */
#define NXK_ROUNDED(name) NXK_OF_ONE(name, NXK_VARIANT::name)
#define NXK_ROUNDED_OF_TWO(name) NXK_OF_TWO(name, NXK_VARIANT::name)

#include "common/gpu_math.h"

NXK_ROUNDED(sqrt)
NXK_OF_TWO(copysign, metal::copysign)
NEXUS_FUNCTION float nexus_fma(float x, float y, float z) {
  return metal::fma(x, y, z);
}

/* Where one of the two is a NaN, the other. */
NEXUS_FUNCTION float nexus_min(float x, float y) {
  return nexus_isnan(y) || x < y ? x : y;
}
NEXUS_FUNCTION float nexus_max(float x, float y) {
  return nexus_isnan(y) || x > y ? x : y;
}
NEXUS_FUNCTION float nexus_clamp(float x, float low, float high) {
  return nexus_min(nexus_max(x, low), high);
}

/* Scaled by the longer side, so that no square overflows. */
NEXUS_FUNCTION float nexus_hypot(float x, float y) {
  const float a = nexus_fabs(x);
  const float b = nexus_fabs(y);
  const float longer = a > b ? a : b;
  const float ratio = (a > b ? b : a) / longer;
  const float length = longer * nexus_sqrt(nexus_fma(ratio, ratio, 1.0f));
  if (nexus_isinf(x) || nexus_isinf(y)) return as_type<float>(0x7f800000u);
  return a == 0.0f && b == 0.0f ? 0.0f : length;
}

/* Near 0, x + x P(x^2); beyond, 1 - exp(Q(|x|)). Measured: 1.2 ulp with exp of 1 ulp. */
NEXUS_FUNCTION float nexus_erf(float x) {
  const float size = nexus_fabs(x);
  const float capped = size > 3.94f ? 3.94f : size; /* 1 from here on; a NaN stays */
  const float s = size * size;
  float p = 8.26745630e-05f;
  p = nexus_fma(p, s, -8.11807400e-04f);
  p = nexus_fma(p, s, 5.19882971e-03f);
  p = nexus_fma(p, s, -2.68584970e-02f);
  p = nexus_fma(p, s, 1.12836790e-01f);
  p = nexus_fma(p, s, -3.76126326e-01f);
  p = nexus_fma(p, s, 1.28379167e-01f);
  float q = -7.37429513e-07f;
  q = nexus_fma(q, capped, -1.13117144e-05f);
  q = nexus_fma(q, capped, 3.78851784e-04f);
  q = nexus_fma(q, capped, -3.99410784e-03f);
  q = nexus_fma(q, capped, 2.47745256e-02f);
  q = nexus_fma(q, capped, -1.07858229e-01f);
  q = nexus_fma(q, capped, -6.33663301e-01f);
  q = nexus_fma(q, capped, -1.12938182e+00f);
  q = nexus_fma(q, capped, 1.50614607e-04f);
  return nexus_copysign(size < 0.9375f ? nexus_fma(size, p, size) : 1.0f - nexus_exp(q), x);
}

/* t P(t) exp(-x^2) with t = 1 / (1 + |x| / 2), and the square in two parts: that of the upper bits
 * is exact. */
NEXUS_FUNCTION float nexus_erfc(float x) {
  const float size = nexus_fabs(x);
  const float capped = size > 10.1f ? 10.1f : size; /* 0 from here on; a NaN stays */
  const float t = 1.0f / nexus_fma(capped, 0.5f, 1.0f);
  float p = 3.38353113e-02f;
  p = nexus_fma(p, t, -1.79508872e-01f);
  p = nexus_fma(p, t, 3.51264112e-01f);
  p = nexus_fma(p, t, -2.44111738e-01f);
  p = nexus_fma(p, t, -6.56444553e-02f);
  p = nexus_fma(p, t, 6.32618384e-02f);
  p = nexus_fma(p, t, 4.29643661e-02f);
  p = nexus_fma(p, t, 1.88961280e-01f);
  p = nexus_fma(p, t, 2.44579082e-01f);
  p = nexus_fma(p, t, 2.82313216e-01f);
  p = nexus_fma(p, t, 2.82085863e-01f);
  const float upper = as_type<float>(as_type<unsigned int>(capped) & 0xfffff000u);
  const float lower = nexus_exp((upper - capped) * (upper + capped));
  const float tail = t * p * nexus_exp(-upper * upper) * lower;
  return x < 0.0f ? 2.0f - tail : tail;
}

NEXUS_FUNCTION int nexus_popcount(nexus_uint32 x) {
  return (int)metal::popcount(x);
}
NEXUS_FUNCTION int nexus_clz(nexus_uint32 x) {
  return (int)metal::clz(x);
}

#endif /* NEXUS_KERNEL_METAL_MATH_H_ */
