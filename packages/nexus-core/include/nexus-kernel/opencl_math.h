/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mathematics of the portable kernel language in OpenCL C: its functions of single precision, never
 * native_ or half_ ones. Fast mathematics is an option of the program's build, which changes them.
 */
#ifndef NEXUS_KERNEL_OPENCL_MATH_H_
#define NEXUS_KERNEL_OPENCL_MATH_H_

#define nxk_unsigned_bits(x) as_uint(x)
/* Not by NXK_OF_ONE, since implementations define some of the names as macros. */
#define NXK_EXACT(name)                        \
  NEXUS_FUNCTION float nexus_##name(float x) { \
    return name(x);                            \
  }
#define NXK_ROUNDED NXK_EXACT
#define NXK_ROUNDED_OF_TWO(name)                        \
  NEXUS_FUNCTION float nexus_##name(float x, float y) { \
    return name(x, y);                                  \
  }

#include "common/gpu_math.h"

NXK_ROUNDED(sqrt)
NXK_ROUNDED(erf)
NXK_ROUNDED(erfc)
NXK_OF_TWO(min, fmin) /* min and max of floats are undefined for a NaN */
NXK_OF_TWO(max, fmax)
NXK_ROUNDED_OF_TWO(hypot)
NXK_ROUNDED_OF_TWO(copysign)
NEXUS_FUNCTION float nexus_fma(float x, float y, float z) {
  return fma(x, y, z);
}
NEXUS_FUNCTION float nexus_clamp(float x, float low, float high) {
  return fmin(fmax(x, low), high);
}
NEXUS_FUNCTION int nexus_popcount(uint x) {
  return (int)popcount(x);
}
NEXUS_FUNCTION int nexus_clz(uint x) {
  return (int)clz(x);
}

#endif /* NEXUS_KERNEL_OPENCL_MATH_H_ */
