/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel language for OpenCL C 1.2 and later. It uses what clang adds to OpenCL C, and
 * with it every runtime that is known to us: macros with any number of arguments, functions of the
 * same name (overloadable) and _Static_assert.
 *
 * A kernel's last three parameters are hidden: int, the work items asked for in x, y and z.
 * clGetKernelArgInfo describes the others, where a program is built with -cl-kernel-arg-info.
 */
#ifndef NEXUS_KERNEL_OPENCL_H_
#define NEXUS_KERNEL_OPENCL_H_

#define NXK_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define NXK_UNUSED __attribute__((unused))

#include "common/work_item.h"

/* ==== Memory and functions ============================================ */

#define NEXUS_GLOBAL __global
#define NEXUS_CONSTANT __constant
#define NEXUS_LOCAL __local
#define NEXUS_THREAD __private
#define NEXUS_RESTRICT restrict
#define NEXUS_FUNCTION static inline __attribute__((always_inline)) NXK_UNUSED
#define NXK_OVERLOADED NEXUS_FUNCTION __attribute__((overloadable))
#define NEXUS_CONSTANT_DATA __constant
#define NEXUS_SETTABLE_DATA __constant

#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
#if __OPENCL_C_VERSION__ < 120 && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define NEXUS_HAS_FLOAT64 1
#else
#define NEXUS_HAS_FLOAT64 0
#endif

/* ==== Types =========================================================== */

typedef char nexus_int8;
typedef short nexus_int16;
typedef int nexus_int32;
typedef long nexus_int64;
typedef uchar nexus_uint8;
typedef ushort nexus_uint16;
typedef uint nexus_uint32;
typedef ulong nexus_uint64;
typedef uchar nexus_bool; /* since OpenCL C allows bool neither as an argument nor in a buffer */

typedef float2 nexus_float2;
typedef float4 nexus_float4;
typedef int2 nexus_int2;
typedef int4 nexus_int4;
typedef uint2 nexus_uint2;
typedef uint4 nexus_uint4;

#define nexus_make_float2(x, y) ((float2)((x), (y)))
#define nexus_make_float4(x, y, z, w) ((float4)((x), (y), (z), (w)))
#define nexus_make_int2(x, y) ((int2)((x), (y)))
#define nexus_make_int4(x, y, z, w) ((int4)((x), (y), (z), (w)))
#define nexus_make_uint2(x, y) ((uint2)((x), (y)))
#define nexus_make_uint4(x, y, z, w) ((uint4)((x), (y), (z), (w)))
#define nexus_dot(a, b) dot(a, b)

/* ==== Kernels ========================================================= */

typedef struct nxk_launch {
  int grid_size[3];
  int group_size[3];
} nxk_launch;

#define NXK_ENTRY __kernel
#define NXK_ENTRY_OF_SIZE(size) \
  __kernel __attribute__((      \
      reqd_work_group_size(NXK_TRIPLE_X(size, 1), NXK_TRIPLE_Y(size, 1), NXK_TRIPLE_Z(size, 1))))
#define NXK_PARAMETERS(...)                     \
  NXK_EACH_ARGUMENT(NXK_PARAMETER, __VA_ARGS__) \
  const int nxk_asked_x, const int nxk_asked_y, const int nxk_asked_z
#define NXK_PARAMETER(type, name) type name,
#define NXK_PASS(type, name) name,
#define NXK_DECLARE_ARRAY(type, name, count) type name[count];
#define NXK_DESCRIBE(...)
#define NXK_LAUNCH NXK_LAUNCH_REQUIRED(get_local_size(0), get_local_size(1), get_local_size(2))
#define NXK_LAUNCH_REQUIRED(x, y, z)           \
  {                                            \
    {nxk_asked_x, nxk_asked_y, nxk_asked_z}, { \
      (int)(x), (int)(y), (int)(z)             \
    }                                          \
  }
#define NXK_LOCAL_ID(dimension) ((int)get_local_id(dimension))
#define NXK_GLOBAL_ID(dimension) ((int)get_global_id(dimension))
#define NXK_GROUP_ID(dimension) ((int)get_group_id(dimension))
#define NXK_GROUP_COUNT(dimension) ((int)get_num_groups(dimension))
#define nxk_synchronise() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#include "opencl_atomics.h"
#include "opencl_math.h"

#endif /* NEXUS_KERNEL_OPENCL_H_ */
