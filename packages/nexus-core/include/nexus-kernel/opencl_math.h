/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematics of the portable kernel language in OpenCL C: its functions of single precision, never
 * native_ or half_ ones. Fast mathematics is an option of the program's build, which changes them.
 */
#ifndef NEXUS_KERNEL_OPENCL_MATH_H_
#define NEXUS_KERNEL_OPENCL_MATH_H_

/* Functions, so that an argument of another type is converted and not ambiguous. */
#define NXK_OF_ONE(name)                       \
  NEXUS_FUNCTION float nexus_##name(float x) { \
    return name(x);                            \
  }
#define NXK_OF_TWO(name, function)                      \
  NEXUS_FUNCTION float nexus_##name(float x, float y) { \
    return function(x, y);                              \
  }

NXK_OF_ONE(sqrt)
NXK_OF_ONE(rsqrt)
NXK_OF_ONE(fabs)
NXK_OF_ONE(floor)
NXK_OF_ONE(ceil)
NXK_OF_ONE(trunc)
NXK_OF_ONE(round)
NXK_OF_ONE(exp)
NXK_OF_ONE(exp2)
NXK_OF_ONE(log)
NXK_OF_ONE(log2)
NXK_OF_ONE(log10)
NXK_OF_ONE(sin)
NXK_OF_ONE(cos)
NXK_OF_ONE(tan)
NXK_OF_ONE(asin)
NXK_OF_ONE(acos)
NXK_OF_ONE(atan)
NXK_OF_ONE(sinh)
NXK_OF_ONE(cosh)
NXK_OF_ONE(tanh)
NXK_OF_ONE(erf)
NXK_OF_ONE(erfc)
NXK_OF_TWO(fmod, fmod)
NXK_OF_TWO(min, fmin) /* min and max of floats are undefined for a NaN */
NXK_OF_TWO(max, fmax)
NXK_OF_TWO(pow, pow)
NXK_OF_TWO(atan2, atan2)
NXK_OF_TWO(hypot, hypot)
NXK_OF_TWO(copysign, copysign)
NEXUS_FUNCTION float nexus_fma(float x, float y, float z) {
  return fma(x, y, z);
}
NEXUS_FUNCTION float nexus_clamp(float x, float low, float high) {
  return fmin(fmax(x, low), high);
}

/* By the bits: true also where the compiler may assume that there are none. */
NEXUS_FUNCTION int nexus_isnan(float x) {
  return (as_uint(x) & 0x7fffffffu) > 0x7f800000u;
}
NEXUS_FUNCTION int nexus_isinf(float x) {
  return (as_uint(x) & 0x7fffffffu) == 0x7f800000u;
}

NEXUS_FUNCTION int nexus_imin(int x, int y) {
  return min(x, y);
}
NEXUS_FUNCTION int nexus_imax(int x, int y) {
  return max(x, y);
}
NEXUS_FUNCTION int nexus_iabs(int x) {
  return x < 0 ? -x : x;
}
NEXUS_FUNCTION int nexus_popcount(uint x) {
  return (int)popcount(x);
}
NEXUS_FUNCTION int nexus_clz(uint x) {
  return (int)clz(x);
}

#endif /* NEXUS_KERNEL_OPENCL_MATH_H_ */
