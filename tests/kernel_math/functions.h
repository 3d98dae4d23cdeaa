/* SPDX-License-Identifier: Apache-2.0 */
/* The functions under test, as loops over arrays: compiled once a PREFIX and set of flags. */
#ifndef TESTS_KERNEL_MATH_FUNCTIONS_H_
#define TESTS_KERNEL_MATH_FUNCTIONS_H_

/* clang-format off */
#define UNARY_FUNCTIONS(F)                                                         \
  F(exp) F(exp2) F(log) F(log2) F(log10) F(sqrt) F(rsqrt)                          \
  F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh)             \
  F(erf) F(erfc) F(fabs) F(floor) F(ceil) F(trunc) F(round)
/* clang-format on */
#define BINARY_FUNCTIONS(F) F(pow) F(atan2) F(fmod) F(hypot) F(min) F(max) F(copysign)
#define TERNARY_FUNCTIONS(F) F(fma) F(clamp)

typedef void unary_loop(const float *x, float *result, int count);
typedef void binary_loop(const float *x, const float *y, float *result, int count);
typedef void ternary_loop(const float *x, const float *y, const float *z, float *result, int count);

#endif
