/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's mathematics: hyperbolic functions, from exp(|x|), and near 0 from a polynomial. */
#ifndef NEXUS_KERNEL_CPU_MATH_HYPERBOLIC_H_
#define NEXUS_KERNEL_CPU_MATH_HYPERBOLIC_H_

#include "math_basic.h"
#include "math_exponential.h"
#include "math_polynomials.h"

#if NXK_FAST_MATH

NXK_MATH float nexus_sinh(float x) {
  float size = nexus_fabs(x);
  float z = size * size;
  float near = size + size * z * nxk_sinh_fast_polynomial(z);
  float e = nexus_exp(size);
  float far = 0.5f * e - 0.5f / e;
  return nexus_copysign(size < 1.0f ? near : far, x);
}

NXK_MATH float nexus_cosh(float x) {
  float e = nexus_exp(nexus_fabs(x));
  return 0.5f * e + 0.5f / e;
}

NXK_MATH float nexus_tanh(float x) {
  float size = nexus_fabs(x);
  float z = size * size;
  float near = size + size * z * nxk_tanh_fast_polynomial(z);
  float capped = size < 10.0f ? size : 10.0f;
  float far = 1.0f - 2.0f / (nxk_exp_normal(capped + capped, 0.0f) + 1.0f);
  return nexus_copysign(size < 0.625f ? near : far, x);
}

#else

/* exp(size) for sizes from 0; those beyond 100 as 100. */
NXK_MATH double nxk_wide_exp(double size) {
  double capped = size > 100.0 ? 100.0 : size;
  return nxk_wide_exp2(capped * 1.4426950408889634);
}

NXK_MATH float nexus_sinh(float x) {
  double size = (double)nexus_fabs(x);
  double z = size * size;
  double near = size + size * z * nxk_sinh_wide_polynomial(z);
  double e = nxk_wide_exp(size);
  double far = 0.5 * (e - 1.0 / e);
  return nexus_copysign((float)(size < 1.0 ? near : far), x);
}

NXK_MATH float nexus_cosh(float x) {
  double e = nxk_wide_exp((double)nexus_fabs(x));
  return (float)(0.5 * (e + 1.0 / e));
}

NXK_MATH float nexus_tanh(float x) {
  double size = (double)nexus_fabs(x);
  double z = size * size;
  double near = size + size * z * nxk_tanh_wide_polynomial(z);
  double e = nxk_wide_exp(size + size);
  double far = 1.0 - 2.0 / (e + 1.0);
  return nexus_copysign((float)(size < 0.625 ? near : far), x);
}

#endif

#endif /* NEXUS_KERNEL_CPU_MATH_HYPERBOLIC_H_ */
