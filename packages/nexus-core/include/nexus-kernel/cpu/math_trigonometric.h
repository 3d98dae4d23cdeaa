/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU's mathematics: circular functions and their inverses.
 *
 * Precise ones are computed in double. sin, cos and tan hold for every float: the argument is
 * reduced with as many bits of 2/pi as its size needs. Fast ones are computed in float, and sin,
 * cos and tan hold for |x| up to 10 000.
 */
#ifndef NEXUS_KERNEL_CPU_MATH_TRIGONOMETRIC_H_
#define NEXUS_KERNEL_CPU_MATH_TRIGONOMETRIC_H_

#include "math_basic.h"
#include "math_polynomials.h"

#if NXK_FAST_MATH

/* x - n pi / 2. */
NXK_MATH float nxk_turn_rest(float x, float n) {
#if NXK_FMA
  float rest = __builtin_fmaf(n, -1.57079637f, x);
  rest = __builtin_fmaf(n, 4.37113883e-08f, rest);
  return __builtin_fmaf(n, 1.71512449e-15f, rest);
#elif !defined(__clang__)
  return (float)((double)x - (double)n * 1.5707963267948966); /* as in nxk_less_multiple */
#else
  NXK_IN_ORDER
  float rest = (x - n * 1.5703125f) - n * 0.000483751297f; /* 11 bits each */
  return (rest - n * 7.54953362e-08f) - n * 2.56334415e-12f;
#endif
}

/* x in quarter turns: the nearest whole number's low bits, and what is left in radians. */
NXK_MATH float nxk_quarter_turns(float x, nexus_uint32 *quadrant) {
  float n = nxk_nearest(x * 0.636619747f);
  *quadrant = nxk_bits(n + 12582912.0f);
  return nxk_turn_rest(x, n);
}

/* sin(r + quadrant quarter turns). */
NXK_MATH float nxk_sin_in_quadrant(float r, nexus_uint32 quadrant) {
  float z = r * r;
  float sine = r + r * z * nxk_sin_fast_polynomial(z);
  float cosine = 1.0f + (z * z * nxk_cos_fast_polynomial(z) - 0.5f * z);
  float value = (quadrant & 1u) != 0u ? cosine : sine;
  return nxk_float(nxk_bits(value) ^ ((quadrant & 2u) << 30));
}

NXK_MATH float nexus_sin(float x) {
  nexus_uint32 quadrant;
  float r = nxk_quarter_turns(x, &quadrant);
  return nxk_sin_in_quadrant(r, quadrant);
}

NXK_MATH float nexus_cos(float x) {
  nexus_uint32 quadrant;
  float r = nxk_quarter_turns(x, &quadrant);
  return nxk_sin_in_quadrant(r, quadrant + 1u);
}

NXK_MATH float nexus_tan(float x) {
  nexus_uint32 quadrant;
  float r = nxk_quarter_turns(x, &quadrant);
  float z = r * r;
  float t = r + r * z * nxk_tan_fast_polynomial(z);
  float inverse = -1.0f / t;
  return (quadrant & 1u) != 0u ? inverse : t;
}

#else

/* What is left of a product after whole turns, between -2 and 2 quarter turns. */
NXK_MATH double nxk_within_a_turn(double quarters) {
  return quarters - 4.0 * nxk_wide_nearest(quarters * 0.25);
}

/* |x| in quarter turns: the nearest whole number's low bits, and the rest, within a half. A nan
 * for an infinity or a nan. */
NXK_MATH double nxk_quarter_turns(float x, nexus_uint64 *quadrant) {
  double size = (double)nexus_fabs(x);
  double first = nxk_within_a_turn(size * nxk_two_over_pi_1(size));
  double second = nxk_within_a_turn(size * nxk_two_over_pi_2(size));
  double sum = first + second;
  double n = nxk_wide_nearest(sum);
  *quadrant = nxk_whole_bits(n);
  return (sum - n) + size * nxk_two_over_pi_3(size);
}

NXK_MATH float nexus_sin(float x) {
  nexus_uint64 quadrant;
  double f = nxk_quarter_turns(x, &quadrant);
  double z = f * f;
  double sine = f * nxk_sin_wide_polynomial(z);
  double cosine = nxk_cos_wide_polynomial(z);
  float value = (float)nxk_wide_choose(quadrant, cosine, sine);
  nexus_uint32 sign = (nxk_bits(x) & 0x80000000u) ^ ((nexus_uint32)(quadrant & 2u) << 30);
  return nxk_float(nxk_bits(value) ^ sign);
}

NXK_MATH float nexus_cos(float x) {
  nexus_uint64 quadrant;
  double f = nxk_quarter_turns(x, &quadrant);
  double z = f * f;
  double sine = f * nxk_sin_wide_polynomial(z);
  double cosine = nxk_cos_wide_polynomial(z);
  float value = (float)nxk_wide_choose(quadrant, sine, cosine);
  nexus_uint32 sign = (nexus_uint32)((quadrant + 1u) & 2u) << 30;
  return nxk_float(nxk_bits(value) ^ sign);
}

NXK_MATH float nexus_tan(float x) {
  nexus_uint64 quadrant;
  double f = nxk_quarter_turns(x, &quadrant);
  double z = f * f;
  double sine = f * nxk_sin_wide_polynomial(z);
  double cosine = nxk_cos_wide_polynomial(z);
  double above = nxk_wide_choose(quadrant, -cosine, sine);
  double below = nxk_wide_choose(quadrant, sine, cosine);
  float value = (float)(above / below);
  return nxk_float(nxk_bits(value) ^ (nxk_bits(x) & 0x80000000u));
}

#endif

/* ---- inverses ---- */

#if NXK_FAST_MATH

/* atan(y / x) for y and x from 0 up. */
NXK_MATH float nxk_angle(float y, float x) {
  int steep = y > x;
  float large = steep ? y : x;
  float q = (steep ? x : y) / (large > 1e-38f ? large : 1e-38f); /* 0 for both 0 */
  float z = q * q;
  float angle = q + q * z * nxk_atan_fast_polynomial(z);
  float rest = 1.57079637f - angle;
  return steep ? rest : angle;
}

NXK_MATH float nexus_atan(float x) {
  return nexus_copysign(nxk_angle(nexus_fabs(x), 1.0f), x);
}

NXK_MATH float nexus_atan2(float y, float x) {
  float angle = nxk_angle(nexus_fabs(y), nexus_fabs(x));
  float rest = 3.14159274f - angle;
  return nexus_copysign(x < 0.0f ? rest : angle, y);
}

/* asin of |x| up to a half; else of sqrt((1 - |x|) / 2), whose asin is half of acos(|x|). */
NXK_MATH float nxk_asin_part(float size, int large) {
  float half = 0.5f - 0.5f * size;
  float z = large ? half : size * size;
  float s = large ? __builtin_sqrtf(half) : size;
  return s + s * z * nxk_asin_fast_polynomial(z);
}

NXK_MATH float nexus_asin(float x) {
  float size = nexus_fabs(x);
  int large = size > 0.5f;
  float part = nxk_asin_part(size, large);
  float rest = 1.57079637f - 2.0f * part;
  return nexus_copysign(large ? rest : part, x);
}

NXK_MATH float nexus_acos(float x) {
  float size = nexus_fabs(x);
  int large = size > 0.5f;
  float part = nxk_asin_part(size, large);
  float twice = 2.0f * part;
  float far = x < 0.0f ? 3.14159274f - twice : twice;
  float near = 1.57079637f - nexus_copysign(part, x);
  return large ? far : near;
}

#else

/* atan(y / x) for y and x from 0 up. Near the diagonal from atan((y - x) / (y + x)). */
NXK_MATH double nxk_angle(double y, double x) {
  int steep = y > x;
  double small = steep ? x : y;
  double large = steep ? y : x;
  int diagonal = small > large * 0.41421356237309503; /* tan(pi / 8) */
  double q = (diagonal ? small - large : small) / (diagonal ? small + large : large);
  double z = q * q;
  double angle = (diagonal ? 0.78539816339744831 : 0.0) + (q + q * z * nxk_atan_wide_polynomial(z));
  double rest = 1.5707963267948966 - angle;
  return steep ? rest : angle;
}

NXK_MATH float nexus_atan(float x) {
  float size = nexus_fabs(x);
  /* Beyond 2^60 the angle no longer changes; a nan stays. */
  float angle = (float)nxk_angle((double)(size > 1e18f ? 1e18f : size), 1.0);
  return nexus_copysign(angle, x);
}

NXK_MATH float nexus_atan2(float y, float x) {
  float infinity = __builtin_inff();
  float rise = nexus_fabs(y);
  float run = nexus_fabs(x);
  int both_0 = (rise == 0.0f) & (run == 0.0f);
  int both_infinite = (rise == infinity) & (run == infinity);
  /* Infinities as a diagonal, or as a number beyond all floats. */
  double above = both_infinite ? 1.0 : (rise == infinity ? 1e100 : (double)rise);
  double right = both_infinite | both_0 ? 1.0 : (run == infinity ? 1e100 : (double)run);
  double angle = nxk_angle(above, right);
  double rest = 3.1415926535897931 - angle;
  return nexus_copysign((float)((nxk_bits(x) >> 31) != 0u ? rest : angle), y);
}

/* asin of |x| up to a half; else of sqrt((1 - |x|) / 2), whose asin is half of acos(|x|). */
NXK_MATH double nxk_asin_part(double size, int large) {
  double half = 0.5 - 0.5 * size;
  double z = large ? half : size * size;
  double root = __builtin_sqrt(half);
  double s = large ? root : size;
  return s + s * z * nxk_asin_wide_polynomial(z);
}

NXK_MATH float nexus_asin(float x) {
  double size = (double)nexus_fabs(x);
  int large = size > 0.5;
  double part = nxk_asin_part(size, large);
  double rest = 1.5707963267948966 - 2.0 * part;
  return nexus_copysign((float)(large ? rest : part), x);
}

NXK_MATH float nexus_acos(float x) {
  double size = (double)nexus_fabs(x);
  int large = size > 0.5;
  double part = nxk_asin_part(size, large);
  double signed_part = x < 0.0f ? -part : part;
  double base = x < 0.0f ? 3.1415926535897931 : 0.0;
  double far = base + 2.0 * signed_part;
  double near = 1.5707963267948966 - signed_part;
  return (float)(large ? far : near);
}

#endif

#endif /* NEXUS_KERNEL_CPU_MATH_TRIGONOMETRIC_H_ */
