/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of `nexus bench`; REAL is the type that `rate` computes in. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(empty, (n), (int, n)) {
  (void)nexus_global_id(0);
}

NEXUS_KERNEL_BOUNDED(copy, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, from),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, to), (int, n)) {
  int i = nexus_global_id(0);
  to[i] = from[i];
}

/* 8 independent chains of 64 multiplications and additions: 1024 operations an item, without a
 * loop, so that a CPU computes several items at once. For x = 1 and half = 0.5 each chain tends
 * to 1. */
#define TURN                                                                          \
  a = a * half + rest, b = b * half + rest, c = c * half + rest, d = d * half + rest, \
  e = e * half + rest, f = f * half + rest, g = g * half + rest, h = h * half + rest;
#define TURNS_4 TURN TURN TURN TURN
#define TURNS_16 TURNS_4 TURNS_4 TURNS_4 TURNS_4

NEXUS_KERNEL_BOUNDED(rate, (n), (NEXUS_GLOBAL REAL *, x), (REAL, half), (int, n)) {
  int i = nexus_global_id(0);
  REAL rest = x[i] * half;
  REAL a = x[i], b = a + half, c = b + half, d = c + half;
  REAL e = d + half, f = e + half, g = f + half, h = g + half;
  TURNS_16 TURNS_16 TURNS_16 TURNS_16 x[i] = (a + b + c + d + e + f + g + h) / 8;
}
