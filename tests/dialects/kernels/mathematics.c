/* SPDX-License-Identifier: Apache-2.0 */
/* Every function: the names in the order in which they are written are those of the tests. */

NEXUS_KERNEL_BOUNDED(functions_of_one, (n), (NEXUS_GLOBAL const float *, in),
                     (NEXUS_GLOBAL float *, out), (int, n)) {
  int i = nexus_global_id(0);
  float x = in[i];
  int at = i * 24;
  out[at++] = nexus_sqrt(x);
  out[at++] = nexus_rsqrt(x);
  out[at++] = nexus_fabs(x);
  out[at++] = nexus_floor(x);
  out[at++] = nexus_ceil(x);
  out[at++] = nexus_trunc(x);
  out[at++] = nexus_round(x);
  out[at++] = nexus_exp(x);
  out[at++] = nexus_exp2(x);
  out[at++] = nexus_log(x);
  out[at++] = nexus_log2(x);
  out[at++] = nexus_log10(x);
  out[at++] = nexus_sin(x);
  out[at++] = nexus_cos(x);
  out[at++] = nexus_tan(x);
  out[at++] = nexus_asin(x);
  out[at++] = nexus_acos(x);
  out[at++] = nexus_atan(x);
  out[at++] = nexus_sinh(x);
  out[at++] = nexus_cosh(x);
  out[at++] = nexus_tanh(x);
  out[at++] = nexus_erf(x);
  out[at++] = nexus_erfc(x);
  out[at++] = nexus_clamp(x, -1.5f, 2.5f);
}

NEXUS_KERNEL_BOUNDED(functions_of_two, (n), (NEXUS_GLOBAL const float *, in_x),
                     (NEXUS_GLOBAL const float *, in_y), (NEXUS_GLOBAL float *, out), (int, n)) {
  int i = nexus_global_id(0);
  float x = in_x[i];
  float y = in_y[i];
  int at = i * 8;
  out[at++] = nexus_fmod(x, y);
  out[at++] = nexus_fma(x, y, x);
  out[at++] = nexus_min(x, y);
  out[at++] = nexus_max(x, y);
  out[at++] = nexus_pow(x, y);
  out[at++] = nexus_atan2(x, y);
  out[at++] = nexus_hypot(x, y);
  out[at++] = nexus_copysign(x, y);
}

NEXUS_KERNEL_BOUNDED(classes, (n), (NEXUS_GLOBAL const float *, in), (NEXUS_GLOBAL int *, out),
                     (int, n)) {
  int i = nexus_global_id(0);
  out[2 * i] = nexus_isnan(in[i]) ? 1 : 0;
  out[2 * i + 1] = nexus_isinf(in[i]) ? 1 : 0;
}

NEXUS_KERNEL_BOUNDED(functions_of_int, (n), (NEXUS_GLOBAL const int *, x),
                     (NEXUS_GLOBAL int *, out), (int, n)) {
  int i = nexus_global_id(0);
  int at = i * 5;
  out[at++] = nexus_imin(x[i], 7);
  out[at++] = nexus_imax(x[i], 7);
  out[at++] = nexus_iabs(x[i]);
  out[at++] = nexus_popcount((nexus_uint32)x[i]);
  out[at++] = nexus_clz((nexus_uint32)x[i]);
}

#if NEXUS_HAS_FLOAT64
NEXUS_KERNEL_BOUNDED(doubles, (n), (NEXUS_GLOBAL const double *, x), (NEXUS_GLOBAL double *, y),
                     (double, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + 1.0 / 3.0;
}
#endif
