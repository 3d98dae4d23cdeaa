/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions should give, from the C library's functions of double, and errors in ulp. */
#ifndef TESTS_KERNEL_MATH_REFERENCE_H_
#define TESTS_KERNEL_MATH_REFERENCE_H_

#include <math.h>

#define LIBRARY1(name)                  \
  static double true_##name(double x) { \
    return name(x);                     \
  }
LIBRARY1(exp)
LIBRARY1(exp2)
LIBRARY1(log)
LIBRARY1(log2)
LIBRARY1(log10)
LIBRARY1(sqrt)
LIBRARY1(sin)
LIBRARY1(cos)
LIBRARY1(tan)
LIBRARY1(asin)
LIBRARY1(acos)
LIBRARY1(atan)
LIBRARY1(sinh)
LIBRARY1(cosh)
LIBRARY1(tanh)
LIBRARY1(erf)
LIBRARY1(erfc)
LIBRARY1(fabs)
LIBRARY1(floor)
LIBRARY1(ceil)
LIBRARY1(trunc)
LIBRARY1(round)
static double true_rsqrt(double x) {
  return 1.0 / sqrt(x);
}

#define LIBRARY2(name, function)                  \
  static double true_##name(double x, double y) { \
    return function(x, y);                        \
  }
LIBRARY2(pow, pow)
LIBRARY2(atan2, atan2)
LIBRARY2(fmod, fmod)
LIBRARY2(hypot, hypot)
LIBRARY2(min, fmin)
LIBRARY2(max, fmax)
LIBRARY2(copysign, copysign)

/* The C library's fmaf and comparisons are exact. */
static double true_fma(double x, double y, double z) {
  return (double)fmaf((float)x, (float)y, (float)z);
}
static double true_clamp(double x, double low, double high) {
  return fmin(fmax(x, low), high);
}

/* The distance between floats near the true value. */
static double ulp_near(double truth) {
  int exponent;
  frexp(truth, &exponent);
  return ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

/* How far from the truth, in ulp of float; infinite where it is of another kind. */
static double error_in_ulp(float got, double truth) {
  float nearest = (float)truth;
  if (isnan(truth) || isnan(got)) return isnan(truth) && isnan(got) ? 0.0 : INFINITY;
  if (isinf(truth)) return got == nearest ? 0.0 : INFINITY;
  if (got == nearest && (got != 0.0f || !signbit(got) == !signbit(nearest))) {
    return isinf(got) ? 0.0 : fabs((double)got - truth) / ulp_near(truth);
  }
  if (got == 0.0f && nearest == 0.0f) return INFINITY; /* the wrong zero */
  if (isinf(got)) return fabs(copysign(0x1p128, (double)got) - truth) / 0x1p104;
  return fabs((double)got - truth) / ulp_near(truth);
}

#endif
