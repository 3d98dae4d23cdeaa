/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel language for Metal, whose language is C++14 with address spaces. All names of
 * its library are qualified, so that they don't conflict with a kernel's names.
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

/*
 * Metal's code holds no data that a backend could read. So a kernel nexus_describe_<name> writes
 * what is known of a kernel, in ints: the group size that it requires, or 0, in x, y and z; the
 * number of arguments; and for each argument
 *
 *   kind       0 buffer, 1 scalar, 2 local memory
 *   data type  the number of an nxs_data_type, the scalar's or what is pointed to; else 0
 *   size       bytes of a scalar
 *   read only  1 where a pointer points to const
 */
template <typename T>
struct nxk_type {
  enum { number = 0, read_only = 0 };
};
template <typename T>
struct nxk_type<const T> : nxk_type<T> {
  enum { read_only = 1 };
};
template <typename T>
struct nxk_type<thread T *> : nxk_type<T> {};
#define NXK_TYPE(T, value)                  \
  template <>                               \
  struct nxk_type<T> {                      \
    enum { number = value, read_only = 0 }; \
  };
NXK_TYPE(float, 1)
NXK_TYPE(int, 8)
NXK_TYPE(unsigned int, 9)
NXK_TYPE(short, 10)
NXK_TYPE(unsigned short, 11)
NXK_TYPE(signed char, 12)
NXK_TYPE(char, 12)
NXK_TYPE(unsigned char, 13)
NXK_TYPE(long, 17)
NXK_TYPE(unsigned long, 18)
NXK_TYPE(bool, 19)
#undef NXK_TYPE

#define NXK_DESCRIBE(size, name, ...)                                                           \
  kernel void NXK_PASTE(nexus_describe_, name)(device int *nxk_out [[buffer(0)]]) {             \
    const int nxk_all[] = {NXK_TRIPLE_X(size, 1), NXK_TRIPLE_Y(size, 1), NXK_TRIPLE_Z(size, 1), \
                           NXK_ARGUMENT_COUNT(__VA_ARGS__),                                     \
                           NXK_EACH_ARGUMENT(NXK_DESCRIBE_ARGUMENT, __VA_ARGS__)};              \
    for (unsigned int i = 0; i < sizeof(nxk_all) / sizeof(int); ++i) nxk_out[i] = nxk_all[i];   \
  }
#define NXK_DESCRIBE_ARGUMENT(type, name) NXK_PASTE(NXK_DESCRIBE_, NXK_PLACE_OF(type, name))(type)
#define NXK_DESCRIBE_nxk_buffer(type) 0, NXK_DESCRIBE_POINTER(type)
#define NXK_DESCRIBE_nxk_local(type) 2, NXK_DESCRIBE_POINTER(type)
#define NXK_DESCRIBE_nxk_scalar(type) 1, nxk_type<type>::number, (int)sizeof(type), 0,
#define NXK_DESCRIBE_POINTER(type)                               \
  nxk_type<thread NXK_THIRD(NXK_SPACE_##type, ~, ~)>::number, 0, \
      nxk_type<thread NXK_THIRD(NXK_SPACE_##type, ~, ~)>::read_only,
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
