/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's mathematics: the error function and its complement. */
#ifndef NEXUS_KERNEL_CPU_MATH_ERROR_H_
#define NEXUS_KERNEL_CPU_MATH_ERROR_H_

#include "math_basic.h"
#include "math_exponential.h"
#include "math_polynomials.h"

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

#elif NXK_FMA

/*
 * exp(-x^2) times 3 / (x + 3/2) times a flat function of t = (x - 3/2) / (x + 3/2), each as a float
 * and what that lacks: in double it would be exact enough without, but of half as many at a time.
 */
NXK_MATH float nexus_erfc(float x) {
  float size = nexus_fabs(x);
  float capped = size > 10.1f ? 10.1f : size; /* 0 from here on; a nan stays */
  /* 2^n exp(r + r_rest) = 2^n (e + e_rest); r is exact. */
  float square = capped * capped;
  float square_rest = __builtin_fmaf(capped, capped, -square);
  float n = nxk_nearest(square * -1.44269502f);
  float r = __builtin_fmaf(n, -0.693147182f, -square);
  float r_rest = __builtin_fmaf(n, 1.90465432e-09f, -square_rest);
  float e = 1.0f + r;
  float curve = r * r * nxk_exp_polynomial(r);
  float e_rest = (r - (e - 1.0f)) + __builtin_fmaf(r_rest, e + curve, curve);
  /* w (1 + w_rest) = 3 / (x + 3/2), and t + t_rest = 1 - that */
  float sum = capped + 1.5f;
  float sum_rest = capped - (sum - 1.5f);
  float w = 3.0f / sum;
  float remainder = __builtin_fmaf(-w, sum_rest, __builtin_fmaf(-w, sum, 3.0f));
  float w_rest = remainder * 0.333333343f;
  float t = 1.0f - w;
  float t_rest = __builtin_fmaf(-w, w_rest, (1.0f - t) - w);
  /* c0 + t (c1 + t p) = h + h_rest; its slope is about c1 + t p. */
  float p = nxk_erfc_polynomial(t);
  float q = __builtin_fmaf(t, p, NXK_ERFC_1);
  float q_rest = __builtin_fmaf(t, p, NXK_ERFC_1 - q) + NXK_ERFC_1_REST;
  float h = __builtin_fmaf(t, q, NXK_ERFC_0);
  float lost = __builtin_fmaf(t, q, NXK_ERFC_0 - h);
  float h_rest = lost + __builtin_fmaf(t, q_rest, NXK_ERFC_0_REST);
  float g = w * h;
  float g_rest;
  float tail;
  h_rest = __builtin_fmaf(q, t_rest, __builtin_fmaf(h, w_rest, h_rest));
  g_rest = __builtin_fmaf(w, h, -g) + w * h_rest;
  tail = __builtin_fmaf(g, e, __builtin_fmaf(g, e_rest, g_rest * e));
  /* 2^n in two steps, of which only the second can round. */
  tail = tail * nxk_power_of_2(n + 64.0f) * 5.42101086e-20f;
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
