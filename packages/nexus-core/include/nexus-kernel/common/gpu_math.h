/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematical functions that CUDA, HIP, OpenCL C and Metal provide. Not for use in kernels. A
 * dialect gives before:
 *
 *   nxk_unsigned_bits(x)     the bits of a float
 *   NXK_EXACT(name)          defines the exact function nexus_<name>(float)
 *   NXK_ROUNDED(name)        the same of a function whose result is rounded
 *   NXK_ROUNDED_OF_TWO(name) the same of two floats
 */
#ifndef NEXUS_KERNEL_COMMON_GPU_MATH_H_
#define NEXUS_KERNEL_COMMON_GPU_MATH_H_

/* Functions instead of macros, so that an argument of another type is converted and not
 * ambiguous. */
#define NXK_OF_ONE(name, function)             \
  NEXUS_FUNCTION float nexus_##name(float x) { \
    return function(x);                        \
  }
#define NXK_OF_TWO(name, function)                      \
  NEXUS_FUNCTION float nexus_##name(float x, float y) { \
    return function(x, y);                              \
  }

NXK_EXACT(fabs)
NXK_EXACT(floor)
NXK_EXACT(ceil)
NXK_EXACT(trunc)
NXK_EXACT(round)
NXK_ROUNDED(rsqrt)
NXK_ROUNDED(exp)
NXK_ROUNDED(exp2)
NXK_ROUNDED(log)
NXK_ROUNDED(log2)
NXK_ROUNDED(log10)
NXK_ROUNDED(sin)
NXK_ROUNDED(cos)
NXK_ROUNDED(tan)
NXK_ROUNDED(asin)
NXK_ROUNDED(acos)
NXK_ROUNDED(atan)
NXK_ROUNDED(sinh)
NXK_ROUNDED(cosh)
NXK_ROUNDED(tanh)
NXK_ROUNDED_OF_TWO(fmod)
NXK_ROUNDED_OF_TWO(pow)
NXK_ROUNDED_OF_TWO(atan2)

/* Tests the bits, which works even if the compiler may assume that no such values occur. */
NEXUS_FUNCTION int nexus_isnan(float x) {
  return (nxk_unsigned_bits(x) & 0x7fffffffu) > 0x7f800000u;
}
NEXUS_FUNCTION int nexus_isinf(float x) {
  return (nxk_unsigned_bits(x) & 0x7fffffffu) == 0x7f800000u;
}
NEXUS_FUNCTION int nexus_imin(int x, int y) {
  return x < y ? x : y;
}
NEXUS_FUNCTION int nexus_imax(int x, int y) {
  return x > y ? x : y;
}
NEXUS_FUNCTION int nexus_iabs(int x) {
  return x < 0 ? -x : x;
}

#endif /* NEXUS_KERNEL_COMMON_GPU_MATH_H_ */
