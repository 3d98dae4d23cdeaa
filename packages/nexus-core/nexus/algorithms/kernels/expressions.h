/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that mean what numpy's do, for each type: nxa_minimum_float32 and so on. Before all
 * kernels of this folder, which are compiled with macros that the Python files define.
 */
#include <nexus_kernel.h>

#if NEXUS_HAS_FLOAT64
#define nxa_real double
#else
#define nxa_real float
#endif

/* A constant of 64 bits by its halves, since OpenCL C has no suffix for it. */
#define NXA_U64(high, low) ((nexus_uint64)(high) << 32 | (nexus_uint64)(low))

/* A NaN wins in both. */
#define NXA_FLOAT(T, name)                          \
  NEXUS_FUNCTION T nxa_minimum_##name(T a, T b) {   \
    return a <= b || a != a ? a : b;                \
  }                                                 \
  NEXUS_FUNCTION T nxa_maximum_##name(T a, T b) {   \
    return a >= b || a != a ? a : b;                \
  }                                                 \
  NEXUS_FUNCTION T nxa_absolute_##name(T a) {       \
    return a > 0 ? a : 0 - a;                       \
  }                                                 \
  NEXUS_FUNCTION int nxa_less_##name(T a, T b) {    \
    return a < b || (a != a && b == b);             \
  }                                                 \
  NEXUS_FUNCTION int nxa_greater_##name(T a, T b) { \
    return a > b || (a != a && b == b);             \
  }
NXA_FLOAT(float, float32)
#if NEXUS_HAS_FLOAT64
NXA_FLOAT(double, float64)
#endif

NEXUS_FUNCTION float nxa_remainder_float32(float a, float b) {
  float rest = nexus_fmod(a, b);
  if (b == 0.0f) return rest;
  if (rest == 0.0f) return nexus_copysign(0.0f, b);
  return (b < 0.0f) != (rest < 0.0f) ? rest + b : rest;
}
NEXUS_FUNCTION float nxa_floor_divide_float32(float a, float b) {
  float rest = nexus_fmod(a, b), quotient, whole;
  if (b == 0.0f) return a / b;
  quotient = (a - rest) / b;
  if (rest != 0.0f && (b < 0.0f) != (rest < 0.0f)) quotient -= 1.0f;
  if (quotient == 0.0f) return nexus_copysign(0.0f, a / b);
  whole = nexus_floor(quotient);
  return quotient - whole > 0.5f ? whole + 1.0f : whole;
}

/* Overflow wraps: W is an unsigned type, not narrower than int. */
#define NXA_INTEGER(T, W, name)                             \
  NEXUS_FUNCTION T nxa_minimum_##name(T a, T b) {           \
    return a < b ? a : b;                                   \
  }                                                         \
  NEXUS_FUNCTION T nxa_maximum_##name(T a, T b) {           \
    return a > b ? a : b;                                   \
  }                                                         \
  NEXUS_FUNCTION int nxa_less_##name(T a, T b) {            \
    return a < b;                                           \
  }                                                         \
  NEXUS_FUNCTION int nxa_greater_##name(T a, T b) {         \
    return a > b;                                           \
  }                                                         \
  NEXUS_FUNCTION T nxa_left_shift_##name(T a, T b) {        \
    return (W)b < 8 * sizeof(T) ? (T)((W)a << (W)b) : (T)0; \
  }

#define NXA_UNSIGNED(T, W, name)                       \
  NXA_INTEGER(T, W, name)                              \
  NEXUS_FUNCTION T nxa_absolute_##name(T a) {          \
    return a;                                          \
  }                                                    \
  NEXUS_FUNCTION T nxa_floor_divide_##name(T a, T b) { \
    return b == 0 ? (T)0 : (T)(a / b);                 \
  }                                                    \
  NEXUS_FUNCTION T nxa_remainder_##name(T a, T b) {    \
    return b == 0 ? (T)0 : (T)(a % b);                 \
  }                                                    \
  NEXUS_FUNCTION T nxa_right_shift_##name(T a, T b) {  \
    return (W)b < 8 * sizeof(T) ? (T)(a >> b) : (T)0;  \
  }
NXA_UNSIGNED(nexus_uint8, nexus_uint32, uint8)
NXA_UNSIGNED(nexus_uint16, nexus_uint32, uint16)
NXA_UNSIGNED(nexus_uint32, nexus_uint32, uint32)
NXA_UNSIGNED(nexus_uint64, nexus_uint64, uint64)

/* Dividing the smallest by -1 traps on some processors. */
#define NXA_SIGNED(T, W, name)                                        \
  NXA_INTEGER(T, W, name)                                             \
  NEXUS_FUNCTION T nxa_absolute_##name(T a) {                         \
    return a < 0 ? (T)(0 - (W)a) : a;                                 \
  }                                                                   \
  NEXUS_FUNCTION T nxa_floor_divide_##name(T a, T b) {                \
    if (b == 0) return 0;                                             \
    if (b == -1) return (T)(0 - (W)a);                                \
    return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));           \
  }                                                                   \
  NEXUS_FUNCTION T nxa_remainder_##name(T a, T b) {                   \
    T rest;                                                           \
    if (b == 0 || b == -1) return 0;                                  \
    rest = (T)(a % b);                                                \
    return rest != 0 && (rest < 0) != (b < 0) ? (T)(rest + b) : rest; \
  }                                                                   \
  NEXUS_FUNCTION T nxa_right_shift_##name(T a, T b) {                 \
    return (W)b < 8 * sizeof(T) ? (T)(a >> b) : (T)(a < 0 ? -1 : 0);  \
  }
NXA_SIGNED(nexus_int8, nexus_uint32, int8)
NXA_SIGNED(nexus_int16, nexus_uint32, int16)
NXA_SIGNED(nexus_int32, nexus_uint32, int32)
NXA_SIGNED(nexus_int64, nexus_uint64, int64)
