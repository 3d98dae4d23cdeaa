/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel language for Metal, whose language is C++14 with address spaces. Everything
 * of its library is written with its namespace, so that a kernel's own names meet none of it.
 */
#ifndef NEXUS_KERNEL_METAL_H_
#define NEXUS_KERNEL_METAL_H_

#include <metal_stdlib>

#define NXK_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define NXK_UNUSED __attribute__((unused))

#include "common/work_item.h"

/* ==== Memory and functions ============================================ */

#define NEXUS_GLOBAL device
#define NEXUS_CONSTANT constant
#define NEXUS_LOCAL threadgroup
#define NEXUS_THREAD thread
#define NEXUS_RESTRICT
#define NEXUS_FUNCTION static inline __attribute__((always_inline)) NXK_UNUSED
#define NEXUS_CONSTANT_DATA constant
#define NEXUS_SETTABLE_DATA constant
#define NEXUS_HAS_FLOAT64 0

/* ==== Types =========================================================== */

typedef signed char nexus_int8;
typedef short nexus_int16;
typedef int nexus_int32;
typedef long nexus_int64;
typedef unsigned char nexus_uint8;
typedef unsigned short nexus_uint16;
typedef unsigned int nexus_uint32;
typedef unsigned long nexus_uint64;
typedef bool nexus_bool;

typedef metal::float2 nexus_float2;
typedef metal::float4 nexus_float4;
typedef metal::int2 nexus_int2;
typedef metal::int4 nexus_int4;
typedef metal::uint2 nexus_uint2;
typedef metal::uint4 nexus_uint4;

#define NXK_MAKE_VECTORS(T, T2, T4, make2, make4) \
  NEXUS_FUNCTION T2 make2(T x, T y) {             \
    const T2 made = {x, y};                       \
    return made;                                  \
  }                                               \
  NEXUS_FUNCTION T4 make4(T x, T y, T z, T w) {   \
    const T4 made = {x, y, z, w};                 \
    return made;                                  \
  }
NXK_MAKE_VECTORS(float, nexus_float2, nexus_float4, nexus_make_float2, nexus_make_float4)
NXK_MAKE_VECTORS(int, nexus_int2, nexus_int4, nexus_make_int2, nexus_make_int4)
NXK_MAKE_VECTORS(unsigned int, nexus_uint2, nexus_uint4, nexus_make_uint2, nexus_make_uint4)
#define nexus_dot(a, b) metal::dot(a, b)

/* ==== Kernels ========================================================= */

struct nxk_launch {
  int grid_size[3];
  int group_size[3];
  metal::uint3 global_id, local_id, group_id, group_count;
};

#include "metal_parameters.h"

#define NXK_ENTRY kernel
#define NXK_ENTRY_OF_SIZE(size)                                                       \
  [[max_total_threads_per_threadgroup(NXK_TRIPLE_X(size, 1) * NXK_TRIPLE_Y(size, 1) * \
                                      NXK_TRIPLE_Z(size, 1))]] kernel
#define NXK_PASS(type, name) name,
#define NXK_DECLARE_ARRAY(type, name, count) type name[count];
#define NXK_DESCRIBE(...)
#define NXK_LAUNCH NXK_LAUNCH_REQUIRED(nxk_of_group.x, nxk_of_group.y, nxk_of_group.z)
#define NXK_LAUNCH_REQUIRED(x, y, z)           \
  {{nxk_asked[0], nxk_asked[1], nxk_asked[2]}, \
   {(int)(x), (int)(y), (int)(z)},             \
   nxk_at_global,                              \
   nxk_at_local,                               \
   nxk_at_group,                               \
   nxk_of_groups}
#define NXK_GLOBAL_ID(dimension) NXK_PICK_XYZ(nxk_group.global_id, dimension)
#define NXK_LOCAL_ID(dimension) NXK_PICK_XYZ(nxk_group.local_id, dimension)
#define NXK_GROUP_ID(dimension) NXK_PICK_XYZ(nxk_group.group_id, dimension)
#define NXK_GROUP_COUNT(dimension) NXK_PICK_XYZ(nxk_group.group_count, dimension)
#define nxk_synchronise() \
  metal::threadgroup_barrier(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup)

#include "metal_math.h"
/* What needs it: */
#include "metal_atomics.h"

#endif /* NEXUS_KERNEL_METAL_H_ */
