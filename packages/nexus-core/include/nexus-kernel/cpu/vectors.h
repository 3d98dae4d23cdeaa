/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of 2 and 4 of the portable kernel language on the CPU. Aligned like one component, since
 * a buffer's slice may begin at any.
 */
#ifndef NEXUS_KERNEL_CPU_VECTORS_H_
#define NEXUS_KERNEL_CPU_VECTORS_H_

#define NXK_VECTOR(T, count) T __attribute__((vector_size(4 * (count)), aligned(4)))
typedef NXK_VECTOR(float, 2) nexus_float2;
typedef NXK_VECTOR(float, 4) nexus_float4;
typedef NXK_VECTOR(nexus_int32, 2) nexus_int2;
typedef NXK_VECTOR(nexus_int32, 4) nexus_int4;
typedef NXK_VECTOR(nexus_uint32, 2) nexus_uint2;
typedef NXK_VECTOR(nexus_uint32, 4) nexus_uint4;

/* The components, readable and assignable. */
#define nexus_x(vector) ((vector)[0])
#define nexus_y(vector) ((vector)[1])
#define nexus_z(vector) ((vector)[2])
#define nexus_w(vector) ((vector)[3])

#define NXK_MAKE_VECTORS(T, name)                                           \
  NEXUS_FUNCTION nexus_##name##2 nexus_make_##name##2(T x, T y) {           \
    const nexus_##name##2 made = {x, y};                                    \
    return made;                                                            \
  }                                                                         \
  NEXUS_FUNCTION nexus_##name##4 nexus_make_##name##4(T x, T y, T z, T w) { \
    const nexus_##name##4 made = {x, y, z, w};                              \
    return made;                                                            \
  }
NXK_MAKE_VECTORS(float, float)
NXK_MAKE_VECTORS(nexus_int32, int)
NXK_MAKE_VECTORS(nexus_uint32, uint)

NEXUS_FUNCTION float nxk_dot2(nexus_float2 a, nexus_float2 b) {
  return a[0] * b[0] + a[1] * b[1];
}
NEXUS_FUNCTION float nxk_dot4(nexus_float4 a, nexus_float4 b) {
  return a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3]);
}
#if defined(__cplusplus)
NEXUS_FUNCTION float nexus_dot(nexus_float2 a, nexus_float2 b) {
  return nxk_dot2(a, b);
}
NEXUS_FUNCTION float nexus_dot(nexus_float4 a, nexus_float4 b) {
  return nxk_dot4(a, b);
}
#else
#define nexus_dot(a, b) _Generic((a), nexus_float2: nxk_dot2, nexus_float4: nxk_dot4)(a, b)
#endif

#endif /* NEXUS_KERNEL_CPU_VECTORS_H_ */
