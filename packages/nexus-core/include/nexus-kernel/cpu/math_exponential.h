/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's mathematics: exponentials, logarithms, powers. */
#ifndef NEXUS_KERNEL_CPU_MATH_EXPONENTIAL_H_
#define NEXUS_KERNEL_CPU_MATH_EXPONENTIAL_H_

#include "math_base.h"
#include "math_polynomials.h"

/* ---- exponentials: 2^n exp(r), |r| <= log(2) / 2 ---- */

/* log(2) in two parts; the first has 15 bits, so n times it is exact. */
#define NXK_LOG2_HIGH 0.693145752f
#define NXK_LOG2_LOW 1.42860677e-06f

/* exp(r) for |r| <= log(2) / 2. */
NXK_MATH float nxk_exp_near_0(float r) {
#if NXK_FAST_MATH
  return 1.0f + (r + r * r * nxk_exp_fast_polynomial(r));
#else
  float sum = 1.0f + r;
  float lost = r - (sum - 1.0f);
  return sum + (lost + r * r * nxk_exp_polynomial(r));
#endif
}

/* exp(x + small) where the result is normal: x + small from -87 to 88. */
NXK_MATH float nxk_exp_normal(float x, float small) {
  float n = nxk_nearest((x + small) * 1.44269502f);
  float r = nxk_less_multiple(x, n, NXK_LOG2_HIGH, NXK_LOG2_LOW) + small;
  return nxk_exp_near_0(r) * nxk_power_of_2(n);
}

/* y 2^n in two steps, for n from -252 to 254: only the second can round. */
NXK_MATH float nxk_scale(float y, float n) {
  float half = nxk_nearest(n * 0.5f);
  return y * nxk_power_of_2(half) * nxk_power_of_2(n - half);
}

NXK_MATH float nexus_exp(float x) {
#if NXK_FAST_MATH
  x = x > -87.0f ? x : -87.0f;
  x = x < 88.3762589f ? x : 88.3762589f;
  return nxk_exp_normal(x, 0.0f);
#else
  float n = nxk_nearest(x * 1.44269502f);
  float y = nxk_scale(nxk_exp_near_0(nxk_less_multiple(x, n, NXK_LOG2_HIGH, NXK_LOG2_LOW)), n);
  y = x > 89.0f ? __builtin_inff() : y;
  return x < -104.0f ? 0.0f : y;
#endif
}

NXK_MATH float nexus_exp2(float x) {
#if NXK_FAST_MATH
  float n;
  x = x > -126.0f ? x : -126.0f;
  x = x < 127.499992f ? x : 127.499992f;
  n = nxk_nearest(x);
  return nxk_exp_near_0((x - n) * 0.693147182f) * nxk_power_of_2(n);
#else
  float n = nxk_nearest(x);
  float y = nxk_scale(nxk_exp_near_0((x - n) * 0.693147182f), n);
  y = x > 129.0f ? __builtin_inff() : y;
  return x < -151.0f ? 0.0f : y;
#endif
}

/* 2^x in double for |x| <= 1000, within 2^-34; a nan for a nan. */
NXK_MATH double nxk_wide_exp2(double x) {
  double n = nxk_wide_nearest(x);
  return nxk_exp2_wide_polynomial(x - n) * nxk_wide_power_of_2(n);
}

/* ---- logarithms: x = 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2) ---- */

/* What a logarithm is where the polynomial isn't it: y for x above 0. */
NXK_MATH float nxk_log_special(float x, float y) {
#if NXK_FAST_MATH
  (void)x;
  return y;
#else
  y = x < __builtin_inff() ? y : x; /* also a nan */
  y = x < 0.0f ? __builtin_nanf("") : y;
  return x == 0.0f ? -__builtin_inff() : y;
#endif
}

/* log(x) for the float x above 0 in double, within 2^-37, as k log(2) + log(1 + f). */
NXK_MATH double nxk_wide_log(float x, double *k) {
  /* 0x3fe6a09e667f3bcd: sqrt(1/2) */
  nexus_uint64 offset = nxk_wide_bits((double)x) - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u;
  double f = nxk_double((offset & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  /* The exponent, in the low bits of 2^52. */
  *k = nxk_double((offset >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  return s * (2.0 + z * nxk_log_wide_polynomial(z));
}

#if NXK_FAST_MATH
/* x = 2^k (1 + f), for a normal x. */
NXK_MATH float nxk_log_parts(float x, float *k) {
  nexus_uint32 offset = nxk_bits(x) - 0x3f3504f3u;
  *k = (float)((nexus_int32)offset >> 23);
  return nxk_float((offset & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
}

/* log(1 + f). */
NXK_MATH float nxk_log_near_1(float f) {
  float square = f * f;
  return f + (square * f * nxk_log_fast_polynomial(f) - 0.5f * square);
}

NXK_MATH float nexus_log(float x) {
  float k;
  float f = nxk_log_parts(x, &k);
  return k * 0.693147182f + nxk_log_near_1(f);
}

NXK_MATH float nexus_log2(float x) {
  float k;
  float f = nxk_log_parts(x, &k);
  return k + nxk_log_near_1(f) * 1.44269502f;
}

NXK_MATH float nexus_log10(float x) {
  float k;
  float f = nxk_log_parts(x, &k);
  return k * 0.301029996f + nxk_log_near_1(f) * 0.434294492f;
}
#else
NXK_MATH float nexus_log(float x) {
  int denormal = x < 1.17549435e-38f;
  float lifted = x * 33554432.0f;                                      /* 2^25 */
  nexus_uint32 offset = nxk_bits(denormal ? lifted : x) - 0x3f3504f3u; /* sqrt(1/2) */
  float k = (float)((nexus_int32)offset >> 23) - (denormal ? 25.0f : 0.0f);
  float f = nxk_float((offset & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  float square = f * f;
  float tail = square * f * nxk_log_polynomial(f) + k * NXK_LOG2_LOW - 0.5f * square;
  float whole = k * NXK_LOG2_HIGH;
  float sum = whole + f;
  float lost = f - (sum - whole);
  return nxk_log_special(x, sum + (lost + tail));
}

NXK_MATH float nexus_log2(float x) {
  double k;
  double y = nxk_wide_log(x, &k);
  return nxk_log_special(x, (float)(k + y * 1.4426950408889634));
}

NXK_MATH float nexus_log10(float x) {
  double k;
  double y = nxk_wide_log(x, &k);
  return nxk_log_special(x, (float)(k * 0.30102999566398120 + y * 0.43429448190325183));
}
#endif

/* ---- powers ---- */

/* size^y for finite sizes above 0. The result may overflow or vanish when it becomes a float. */
NXK_MATH double nxk_wide_power(float size, double y) {
  double k;
  double log2 = nxk_wide_log(size, &k) * 1.4426950408889634;
  double t = y * (k + log2);
  t = t > 300.0 ? 300.0 : t;
  t = t < -300.0 ? -300.0 : t;
  return nxk_wide_exp2(t);
}

NXK_MATH float nexus_pow(float x, float y) {
  float size = nexus_fabs(x);
  float power = (float)nxk_wide_power(size, (double)y);
  float whole = nexus_trunc(y);
  int odd = (whole == y) & (nexus_trunc(y * 0.5f) * 2.0f != y);
#if NXK_FAST_MATH
  float negative = odd ? -power : power;
  power = x < 0.0f ? negative : power;
  return size > 0.0f ? power : (y > 0.0f ? 0.0f : 1.0f);
#else
  float infinity = __builtin_inff();
  int edge = (size == 0.0f) | (size == infinity);
  int grows = (size > 1.0f) == (y > 0.0f); /* for y other than 0 */
  int endless = nexus_fabs(y) == infinity;
  int no_number = (x < 0.0f) & (whole != y) & !edge & !endless;
  int flipped = (nxk_bits(x) >> 31 != 0u) & odd;
  int one = (x == 1.0f) | (y == 0.0f) | ((size == 1.0f) & endless);
  float at_edge = grows ? infinity : 0.0f;
  at_edge = y != y ? y : at_edge;
  power = edge ? at_edge : power;
  power = no_number ? __builtin_nanf("") : power;
  power = flipped ? -power : power;
  power = x != x ? x : power;
  return one ? 1.0f : power;
#endif
}

#endif /* NEXUS_KERNEL_CPU_MATH_EXPONENTIAL_H_ */
