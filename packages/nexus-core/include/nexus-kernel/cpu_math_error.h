/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's mathematics: the error function and its complement. */
#ifndef NEXUS_KERNEL_CPU_MATH_ERROR_H_
#define NEXUS_KERNEL_CPU_MATH_ERROR_H_

#include "cpu_math_basic.h"
#include "cpu_math_exponential.h"
#include "cpu_math_polynomials.h"

NXK_MATH float nexus_erf(float x) {
  float size = nexus_fabs(x);
  float capped = size > 3.94f ? 3.94f : size; /* 1 from here on; a nan stays */
#if NXK_FAST_MATH
  float near = size + size * nxk_erf_small_fast_polynomial(size * size);
  float far = 1.0f - nxk_exp_normal(nxk_erf_large_fast_polynomial(capped), 0.0f);
#else
  float near = size + size * nxk_erf_small_polynomial(size * size);
  float far = 1.0f - nxk_exp_normal(nxk_erf_large_polynomial(capped), 0.0f);
#endif
  return nexus_copysign(size < 0.9375f ? near : far, x);
}

#if NXK_FAST_MATH

/* exp(-x^2) with the square in two parts: of the upper bits of x, and the rest. */
NXK_MATH float nxk_exp_of_minus_square(float x) {
  float upper = nxk_float(nxk_bits(x) & 0xfffff000u);
  return nxk_exp_normal(-upper * upper, (upper - x) * (upper + x));
}

NXK_MATH float nexus_erfc(float x) {
  float size = nexus_fabs(x);
  float capped = size < 9.18f ? size : 9.18f; /* beyond, results are denormal */
  float t = (capped - 2.0f) / (capped + 2.0f);
  float tail =
      nxk_erfc_fast_polynomial(t) / (1.0f + 2.0f * capped) * nxk_exp_of_minus_square(capped);
  return x < 0.0f ? 2.0f - tail : tail;
}

#else

NXK_MATH float nexus_erfc(float x) {
  float size = nexus_fabs(x);
  double capped = (double)(size > 10.1f ? 10.1f : size); /* 0 from here on; a nan stays */
  double t = (capped - 2.0) / (capped + 2.0);
  double tail = nxk_erfc_wide_polynomial(t) * nxk_wide_exp2(capped * capped * -1.4426950408889634);
  return (float)(x < 0.0f ? 2.0 - tail : tail);
}

#endif

#endif /* NEXUS_KERNEL_CPU_MATH_ERROR_H_ */
