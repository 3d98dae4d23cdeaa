/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of two and four for CUDA and HIP, with operators by component. Own types, so that they
 * don't conflict with operators that a program defines for the compiler's types. Not for use in
 * kernels directly.
 */
#ifndef NEXUS_KERNEL_CUDA_VECTORS_H_
#define NEXUS_KERNEL_CUDA_VECTORS_H_

/* clang-format off */
#define NXK_VECTORS(T, T2, T4, make2, make4)                                                      \
  struct __attribute__((aligned(8))) T2 { T x, y; };                                              \
  struct __attribute__((aligned(16))) T4 { T x, y, z, w; };                                       \
  NEXUS_FUNCTION T2 make2(T x, T y) { T2 v = {x, y}; return v; }                                  \
  NEXUS_FUNCTION T4 make4(T x, T y, T z, T w) { T4 v = {x, y, z, w}; return v; }                  \
  NEXUS_FUNCTION T2 operator-(T2 a) { return make2(-a.x, -a.y); }                                 \
  NEXUS_FUNCTION T4 operator-(T4 a) { return make4(-a.x, -a.y, -a.z, -a.w); }                     \
  NXK_VECTOR_OPERATOR(T, T2, T4, make2, make4, +)                                                 \
  NXK_VECTOR_OPERATOR(T, T2, T4, make2, make4, -)                                                 \
  NXK_VECTOR_OPERATOR(T, T2, T4, make2, make4, *)                                                 \
  NXK_VECTOR_OPERATOR(T, T2, T4, make2, make4, /)
#define NXK_VECTOR_OPERATOR(T, T2, T4, make2, make4, op)                                          \
  NEXUS_FUNCTION T2 operator op(T2 a, T2 b) { return make2(a.x op b.x, a.y op b.y); }             \
  NEXUS_FUNCTION T2 operator op(T2 a, T b) { return make2(a.x op b, a.y op b); }                  \
  NEXUS_FUNCTION T2 operator op(T a, T2 b) { return make2(a op b.x, a op b.y); }                  \
  NEXUS_FUNCTION T4 operator op(T4 a, T4 b) {                                                     \
    return make4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);                                 \
  }                                                                                               \
  NEXUS_FUNCTION T4 operator op(T4 a, T b) {                                                      \
    return make4(a.x op b, a.y op b, a.z op b, a.w op b);                                         \
  }                                                                                               \
  NEXUS_FUNCTION T4 operator op(T a, T4 b) {                                                      \
    return make4(a op b.x, a op b.y, a op b.z, a op b.w);                                         \
  }                                                                                               \
  NEXUS_FUNCTION T2 &operator op##=(T2 &a, T2 b) { return a = a op b; }                           \
  NEXUS_FUNCTION T2 &operator op##=(T2 &a, T b) { return a = a op b; }                            \
  NEXUS_FUNCTION T4 &operator op##=(T4 &a, T4 b) { return a = a op b; }                           \
  NEXUS_FUNCTION T4 &operator op##=(T4 &a, T b) { return a = a op b; }
/* clang-format on */

NXK_VECTORS(float, nexus_float2, nexus_float4, nexus_make_float2, nexus_make_float4)
NXK_VECTORS(int, nexus_int2, nexus_int4, nexus_make_int2, nexus_make_int4)
NXK_VECTORS(unsigned int, nexus_uint2, nexus_uint4, nexus_make_uint2, nexus_make_uint4)

NEXUS_FUNCTION float nexus_dot(nexus_float2 a, nexus_float2 b) {
  return a.x * b.x + a.y * b.y;
}
NEXUS_FUNCTION float nexus_dot(nexus_float4 a, nexus_float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

#endif /* NEXUS_KERNEL_CUDA_VECTORS_H_ */
