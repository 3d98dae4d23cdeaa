/* SPDX-License-Identifier: Apache-2.0 */
/* The loops themselves. PREFIX: what their names begin with. */
#include "functions.h"
#include "nexus-kernel/cpu/math.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(__cplusplus)
#define EXPORTED extern "C"
#define RESTRICT __restrict__
#else
#define EXPORTED
#define RESTRICT restrict
#endif

#define UNARY(name)                                                                 \
  EXPORTED unary_loop JOIN(PREFIX, name);                                           \
  void JOIN(PREFIX, name)(const float *RESTRICT x, float *RESTRICT result, int n) { \
    for (int i = 0; i < n; ++i) result[i] = nexus_##name(x[i]);                     \
  }
#define BINARY(name)                                                        \
  EXPORTED binary_loop JOIN(PREFIX, name);                                  \
  void JOIN(PREFIX, name)(const float *RESTRICT x, const float *RESTRICT y, \
                          float *RESTRICT result, int n) {                  \
    for (int i = 0; i < n; ++i) result[i] = nexus_##name(x[i], y[i]);       \
  }
#define TERNARY(name)                                                               \
  EXPORTED ternary_loop JOIN(PREFIX, name);                                         \
  void JOIN(PREFIX, name)(const float *RESTRICT x, const float *RESTRICT y,         \
                          const float *RESTRICT z, float *RESTRICT result, int n) { \
    for (int i = 0; i < n; ++i) result[i] = nexus_##name(x[i], y[i], z[i]);         \
  }

UNARY_FUNCTIONS(UNARY)
BINARY_FUNCTIONS(BINARY)
TERNARY_FUNCTIONS(TERNARY)

/* A float's class and integers, as bits in and out. */
EXPORTED void JOIN(PREFIX, classes)(const float *x, int *result, int n);
void JOIN(PREFIX, classes)(const float *x, int *result, int n) {
  for (int i = 0; i < n; ++i) result[i] = nexus_isnan(x[i]) + 2 * nexus_isinf(x[i]);
}

EXPORTED void JOIN(PREFIX, popcount)(const nexus_uint32 *x, int *result, int n);
void JOIN(PREFIX, popcount)(const nexus_uint32 *x, int *result, int n) {
  for (int i = 0; i < n; ++i) result[i] = nexus_popcount(x[i]);
}

EXPORTED void JOIN(PREFIX, clz)(const nexus_uint32 *x, int *result, int n);
void JOIN(PREFIX, clz)(const nexus_uint32 *x, int *result, int n) {
  for (int i = 0; i < n; ++i) result[i] = nexus_clz(x[i]);
}

EXPORTED void JOIN(PREFIX, integers)(const int *x, const int *y, int *result, int n);
void JOIN(PREFIX, integers)(const int *x, const int *y, int *result, int n) {
  for (int i = 0; i < n; ++i) {
    result[3 * i] = nexus_imin(x[i], y[i]);
    result[3 * i + 1] = nexus_imax(x[i], y[i]);
    result[3 * i + 2] = nexus_iabs(x[i]);
  }
}
