/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels where a function is one work item: what CUDA, HIP, OpenCL C and Metal share. Not for use
 * in kernels. A kernel becomes two functions:
 *
 *   name            what is launched: arguments and hidden parameters, arrays in local memory
 *   nxk_body_name   the text that follows, inlined into it
 *
 * A dialect gives, before a kernel is defined:
 *
 *   NXK_STATIC_ASSERT, NXK_UNUSED  of the compiler
 *   NXK_ENTRY                      what stands before void name
 *   NXK_ENTRY_OF_SIZE(size)        the same for a required group size
 *   NXK_PARAMETERS(list...)        the parameters of name, the hidden ones too
 *   NXK_PASS(type, name)           an argument as it is passed on, with a comma after it
 *   nxk_launch                     a struct with the three int grid_size[] and group_size[]
 *   NXK_LAUNCH                     an nxk_launch made of the hidden parameters
 *   NXK_LAUNCH_REQUIRED(x, y, z)   the same where this is the group size
 *   NXK_DESCRIBE(size, list...)    declares what describes a kernel; may be empty
 *   NXK_LOCAL_ID, NXK_GLOBAL_ID, NXK_GROUP_ID, NXK_GROUP_COUNT (dimension)
 *   nxk_synchronise()              the barrier of a group, for global and local memory
 */
#ifndef NEXUS_KERNEL_COMMON_WORK_ITEM_H_
#define NEXUS_KERNEL_COMMON_WORK_ITEM_H_

#include "parameters.h"

/* ==== Kernels ========================================================= */

#define NEXUS_KERNEL(...) NXK_KERNEL(nxk_plain, (0, 0, 0), (), NXK_FIRST(__VA_ARGS__), __VA_ARGS__)
#define NEXUS_KERNEL_BOUNDED(name, ...)           \
  NXK_CHECK_BOUNDS(name, NXK_FIRST(__VA_ARGS__)); \
  NXK_KERNEL(nxk_bounded, (0, 0, 0), NXK_FIRST(__VA_ARGS__), name, __VA_ARGS__)
#define NEXUS_PHASED_KERNEL(name, ...)                \
  NXK_CHECK_GROUP_SIZE(name, NXK_FIRST(__VA_ARGS__)); \
  NXK_KERNEL(nxk_phased, NXK_FIRST(__VA_ARGS__), (), name, __VA_ARGS__)

/* clang-format off */
/* The list: a word that is skipped, then the parameters. */
#define NXK_KERNEL(kind, size, bounds, name, ...)                                                 \
  NXK_CHECK_KERNEL(name, __VA_ARGS__);                                                            \
  NXK_BODY(kind, name, __VA_ARGS__);                                                              \
  NXK_DESCRIBE(size, name, __VA_ARGS__)                                                           \
  NXK_ENTRY_##kind(size) void name(NXK_PARAMETERS(__VA_ARGS__)) {                                 \
    const nxk_launch nxk_group = NXK_LAUNCH_##kind(size);                                         \
    NXK_EACH_ARRAY(NXK_DECLARE_ARRAY, __VA_ARGS__)                                                \
    if (NXK_RUNS_##kind(bounds)) {                                                                \
      NXK_BODY_NAME(name)(NXK_EACH(NXK_PASS, NXK_PASS_ARRAY, __VA_ARGS__)                         \
                      nxk_group NXK_SCOPE_VALUES_##kind);                                         \
    }                                                                                             \
  }                                                                                               \
  NXK_BODY(kind, name, __VA_ARGS__)
#define NXK_BODY(kind, name, ...)                                                                 \
  NEXUS_FUNCTION void NXK_BODY_NAME(name)(                                                        \
      NXK_EACH(NXK_BODY_PARAMETER, NXK_BODY_ARRAY, __VA_ARGS__)                                   \
      NXK_UNUSED const nxk_launch nxk_group NXK_SCOPE_##kind)
/* clang-format on */
#define NXK_BODY_NAME(name) NXK_PASTE(nxk_body_, name)

#define NXK_BODY_PARAMETER(type, name) NXK_UNUSED type name,
#define NXK_BODY_ARRAY(type, name, count) NXK_UNUSED type *name,
#define NXK_PASS_ARRAY(type, name, count) name,

/* The body's parameters encode what may be used where: nxk_item exists in code of one work item,
 * and nxk_may_wait is an int where a barrier is allowed. */
#define NXK_SCOPE_nxk_plain , NXK_UNUSED const int nxk_item, NXK_UNUSED const int nxk_may_wait
#define NXK_SCOPE_nxk_bounded , NXK_UNUSED const int nxk_item, NXK_UNUSED const char nxk_may_wait
#define NXK_SCOPE_nxk_phased , NXK_UNUSED const char nxk_may_wait
#define NXK_SCOPE_VALUES_nxk_plain , 0, 0
#define NXK_SCOPE_VALUES_nxk_bounded , 0, 0
#define NXK_SCOPE_VALUES_nxk_phased , 0

#define NXK_ENTRY_nxk_plain(size) NXK_ENTRY
#define NXK_ENTRY_nxk_bounded(size) NXK_ENTRY
#define NXK_ENTRY_nxk_phased(size) NXK_ENTRY_OF_SIZE(size)
#define NXK_LAUNCH_nxk_plain(size) NXK_LAUNCH
#define NXK_LAUNCH_nxk_bounded(size) NXK_LAUNCH
#define NXK_LAUNCH_nxk_phased(size) \
  NXK_LAUNCH_REQUIRED(NXK_TRIPLE_X(size, 1), NXK_TRIPLE_Y(size, 1), NXK_TRIPLE_Z(size, 1))

#define NXK_RUNS_nxk_plain(bounds) 1
#define NXK_RUNS_nxk_phased(bounds) 1
#define NXK_RUNS_nxk_bounded(bounds) NXK_PASTE(NXK_BELOW_, NXK_COUNT bounds) bounds
#define NXK_BELOW_1(x) NXK_BELOW(0, x)
#define NXK_BELOW_2(x, y) NXK_BELOW(0, x) && NXK_BELOW(1, y)
#define NXK_BELOW_3(x, y, z) NXK_BELOW(0, x) && NXK_BELOW(1, y) && NXK_BELOW(2, z)
#define NXK_BELOW(dimension, bound) ((nexus_int64)NXK_GLOBAL_ID(dimension) < (nexus_int64)(bound))

/* ==== Ids and sizes =================================================== */

#define nexus_global_id(dimension) ((void)nxk_item, NXK_GLOBAL_ID(dimension))
#define nexus_local_id(dimension) ((void)nxk_item, NXK_LOCAL_ID(dimension))
#define nexus_group_id(dimension) ((void)nxk_group, NXK_GROUP_ID(dimension))
#define nexus_group_size(dimension) NXK_PICK(nxk_group.group_size, dimension)
#define nexus_group_count(dimension) ((void)nxk_group, NXK_GROUP_COUNT(dimension))
#define nexus_grid_size(dimension) NXK_PICK(nxk_group.grid_size, dimension)
#define nexus_launch_size(dimension) (nexus_group_count(dimension) * nexus_group_size(dimension))

#define NXK_PICK(triple, dimension) \
  ((dimension) == 0 ? (triple)[0] : (dimension) == 1 ? (triple)[1] : (triple)[2])
#define NXK_PICK_XYZ(triple, dimension) \
  ((int)((dimension) == 0 ? (triple).x : (dimension) == 1 ? (triple).y : (triple).z))

/* ==== Vectors ========================================================= */

/* The components, readable and assignable. */
#define nexus_x(vector) ((vector).x)
#define nexus_y(vector) ((vector).y)
#define nexus_z(vector) ((vector).z)
#define nexus_w(vector) ((vector).w)

/* ==== Barriers and phases ============================================= */

#define nexus_barrier()                                                                      \
  do {                                                                                       \
    NXK_STATIC_ASSERT(sizeof(nxk_may_wait) == sizeof(int),                                   \
                      "nexus_barrier() works only in NEXUS_KERNEL: a bounded kernel skips "  \
                      "items, and in a phased kernel each NEXUS_PHASE ends with a barrier"); \
    nxk_synchronise();                                                                       \
  } while (0)

/* A loop that runs once: `continue` ends it for this item, which then waits at the end of the
 * phase. */
#define NEXUS_PHASE for (int nxk_item = 0; nxk_item < 1; nxk_synchronise(), ++nxk_item)
#define NEXUS_STEP for (int nxk_item = 0; nxk_item < 1; ++nxk_item)
#define NEXUS_PRIVATE(type, name) type nxk_mine_##name
#define NEXUS_MINE(name) nxk_mine_##name
#define NEXUS_ANY(condition) (condition)

#endif /* NEXUS_KERNEL_COMMON_WORK_ITEM_H_ */
