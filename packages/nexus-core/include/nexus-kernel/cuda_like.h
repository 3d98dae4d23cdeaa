/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of CUDA C++ and HIP: kernels, memory, types, mathematics. Not for use in kernels.
 * cuda.h and hip.h give what this leaves open: NXK_DEVICE and the like, the ids, the barrier, bits
 * of floats (nxk_bits, nxk_float), atomics of one word (nxk_atomic_*), and mathematics
 * (common/gpu_math.h).
 *
 * A kernel has the symbol <name>: extern "C" __global__ void name(arguments..., nxk_grid grid).
 * An argument in local memory is an unsigned number: its offset in bytes in the dynamic shared
 * memory of the launch, a multiple of 16.
 */
#ifndef NEXUS_KERNEL_CUDA_LIKE_H_
#define NEXUS_KERNEL_CUDA_LIKE_H_

#define NXK_STATIC_ASSERT(condition, text) static_assert(condition, text)
#define NXK_UNUSED __attribute__((unused))

#include "common/work_item.h"

/* ==== Memory and functions ============================================ */

#define NEXUS_GLOBAL
#define NEXUS_CONSTANT const
#define NEXUS_LOCAL __attribute__(()) /* no meaning to the compiler, but macros can tell it */
#define NEXUS_THREAD
#define NEXUS_RESTRICT __restrict__
#define NEXUS_FUNCTION static NXK_DEVICE NXK_INLINE NXK_UNUSED
#define NEXUS_CONSTANT_DATA static NXK_CONSTANT_MEMORY const NXK_UNUSED
#define NEXUS_SETTABLE_DATA NXK_CONSTANT_MEMORY NXK_KEPT
#define NEXUS_HAS_FLOAT64 1

/* ==== Types =========================================================== */

typedef signed char nexus_int8;
typedef short nexus_int16;
typedef int nexus_int32;
typedef long long nexus_int64;
typedef unsigned char nexus_uint8;
typedef unsigned short nexus_uint16;
typedef unsigned int nexus_uint32;
typedef unsigned long long nexus_uint64;
typedef bool nexus_bool;

#include "cuda_vectors.h"

/* ==== Kernels ========================================================= */

/* The hidden parameter: the work items asked for, in x, y and z. */
struct nxk_grid {
  int size[3];
};

struct nxk_launch {
  int grid_size[3];
  int group_size[3];
};

#define NXK_ENTRY extern "C" NXK_GLOBAL_FUNCTION
#define NXK_ENTRY_OF_SIZE(size) \
  NXK_ENTRY NXK_MAX_ITEMS(NXK_TRIPLE_X(size, 1) * NXK_TRIPLE_Y(size, 1) * NXK_TRIPLE_Z(size, 1))
#define NXK_PARAMETERS(...) NXK_EACH_ARGUMENT(NXK_PARAMETER, __VA_ARGS__) const nxk_grid nxk_asked
#define NXK_LAUNCH NXK_LAUNCH_REQUIRED(nxk_group_size(0), nxk_group_size(1), nxk_group_size(2))
#define NXK_LAUNCH_REQUIRED(x, y, z)                             \
  {                                                              \
    {nxk_asked.size[0], nxk_asked.size[1], nxk_asked.size[2]}, { \
      (x), (y), (z)                                              \
    }                                                            \
  }
#define NXK_GLOBAL_ID(dimension) \
  (nxk_group_id(dimension) * NXK_PICK(nxk_group.group_size, dimension) + nxk_local_id(dimension))
#define NXK_LOCAL_ID(dimension) nxk_local_id(dimension)
#define NXK_GROUP_ID(dimension) nxk_group_id(dimension)
#define NXK_GROUP_COUNT(dimension) nxk_group_count(dimension)

/* Arguments in local memory share the one array whose size a launch gives. */
extern NXK_SHARED __attribute__((aligned(16))) unsigned char nxk_dynamic_memory[];

#define NXK_IS_LOCAL(type) NXK_SECOND(NXK_IS_LOCAL_##type, 0)
#define NXK_IS_LOCAL___attribute__(nothing) ~, 1,
#define NXK_WITHOUT_LOCAL(type) NXK_WITHOUT_##type
#define NXK_WITHOUT___attribute__(nothing)

#define NXK_PARAMETER(type, name) NXK_PASTE(NXK_PARAMETER_, NXK_IS_LOCAL(type))(type, name)
#define NXK_PARAMETER_0(type, name) type name,
#define NXK_PARAMETER_1(type, name) unsigned int nxk_offset_##name,
#define NXK_PASS(type, name) NXK_PASTE(NXK_PASS_, NXK_IS_LOCAL(type))(type, name)
#define NXK_PASS_0(type, name) name,
#define NXK_PASS_1(type, name) (NXK_WITHOUT_LOCAL(type))(nxk_dynamic_memory + nxk_offset_##name),
#define NXK_DECLARE_ARRAY(type, name, count) NXK_SHARED NXK_WITHOUT_LOCAL(type) name[count];

#include "cuda_description.h"

/* ==== Mathematics ===================================================== */

#define nxk_unsigned_bits(x) static_cast<unsigned int>(nxk_bits(x))
#include "common/gpu_math.h"

/* ==== Atomics ========================================================= */

/* Of int and unsigned int: the compiler's own. */
#define NXK_ATOMICS(T)                                                          \
  NEXUS_FUNCTION T nexus_atomic_add(T *p, T value) {                            \
    return nxk_atomic_add(p, value);                                            \
  }                                                                             \
  NEXUS_FUNCTION T nexus_atomic_min(T *p, T value) {                            \
    return nxk_atomic_min(p, value);                                            \
  }                                                                             \
  NEXUS_FUNCTION T nexus_atomic_max(T *p, T value) {                            \
    return nxk_atomic_max(p, value);                                            \
  }                                                                             \
  NEXUS_FUNCTION T nexus_atomic_exchange(T *p, T value) {                       \
    return nxk_atomic_exchange(p, value);                                       \
  }                                                                             \
  NEXUS_FUNCTION T nexus_atomic_compare_exchange(T *p, T expected, T desired) { \
    return nxk_atomic_compare_exchange(p, expected, desired);                   \
  }
NXK_ATOMICS(int)
NXK_ATOMICS(unsigned int)

/* Of float, through their bits: as int, positive floats are ordered as they are; as unsigned int,
 * negative ones the other way round. A NaN is never stored by min and max. */
NEXUS_FUNCTION float nexus_atomic_add(float *p, float value) {
  return nxk_atomic_add(p, value);
}
NEXUS_FUNCTION float nexus_atomic_exchange(float *p, float value) {
  return nxk_float(nxk_atomic_exchange((int *)p, nxk_bits(value)));
}
NEXUS_FUNCTION float nexus_atomic_compare_exchange(float *p, float expected, float desired) {
  return nxk_float(nxk_atomic_compare_exchange((int *)p, nxk_bits(expected), nxk_bits(desired)));
}
NEXUS_FUNCTION float nexus_atomic_min(float *p, float value) {
  const int bits = nxk_bits(value);
  if (nexus_isnan(value)) return nxk_float(nxk_atomic_add((int *)p, 0));
  return nxk_float(bits >= 0 ? nxk_atomic_min((int *)p, bits)
                             : (int)nxk_atomic_max((unsigned int *)p, (unsigned int)bits));
}
NEXUS_FUNCTION float nexus_atomic_max(float *p, float value) {
  const int bits = nxk_bits(value);
  if (nexus_isnan(value)) return nxk_float(nxk_atomic_add((int *)p, 0));
  return nxk_float(bits >= 0 ? nxk_atomic_max((int *)p, bits)
                             : (int)nxk_atomic_min((unsigned int *)p, (unsigned int)bits));
}

#endif /* NEXUS_KERNEL_CUDA_LIKE_H_ */
