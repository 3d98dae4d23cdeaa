/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The true values of functions of one argument, nearly, in double and fast: compiled with gcc's
 * -O3 -ffast-math, where the C library's vector functions compute them within 4 ulp of double. They
 * tell `accuracy all` which of 2^32 points are worth the exact function.
 */
#include <math.h>

#include "functions.h"

#define rsqrt(x) (1.0 / sqrt(x))

/* Beyond 200 these are as good as infinite or 0, and the vector functions become slow. */
static inline double within_200(double x) {
  x = x > 200.0 ? 200.0 : x;
  return x < -200.0 ? -200.0 : x;
}
#define exp(x) exp(within_200(x))
#define exp2(x) exp2(within_200(x))
#define sinh(x) sinh(within_200(x))
#define cosh(x) cosh(within_200(x))
#define tanh(x) tanh(within_200(x))
#define erf(x) erf(within_200(x))
#define erfc(x) erfc(within_200(x))
#define APPROXIMATE(name)                                              \
  void approximate_##name(const float *x, double *result, int count);  \
  void approximate_##name(const float *x, double *result, int count) { \
    for (int i = 0; i < count; ++i) result[i] = name((double)x[i]);    \
  }
UNARY_FUNCTIONS(APPROXIMATE)
