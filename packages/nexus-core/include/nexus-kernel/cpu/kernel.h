/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NEXUS_KERNEL and NEXUS_KERNEL_BOUNDED on the CPU: the text of a kernel is one work item, wrapped
 * in loops over the items of a range of groups. Also the barrier.
 */
#ifndef NEXUS_KERNEL_CPU_KERNEL_H_
#define NEXUS_KERNEL_CPU_KERNEL_H_

#define NEXUS_KERNEL(...) \
  NXK_ITEM_KERNEL(NXK_FIRST(__VA_ARGS__), NXK_BARRIERS, (NXK_UNBOUNDED), __VA_ARGS__)
#define NEXUS_KERNEL_BOUNDED(...)                                                   \
  NXK_ITEM_KERNEL(NXK_FIRST(__VA_ARGS__), NXK_NO_BARRIERS, NXK_SECOND(__VA_ARGS__), \
                  NXK_WITHOUT_FIRST(__VA_ARGS__))

/* ==== Barriers ======================================================== */

/* Passed to the body of a kernel without barriers in place of the group. */
typedef struct nxk_no_barrier {
  char unused;
} nxk_no_barrier;

#define nexus_barrier()                                                                         \
  do {                                                                                          \
    NXK_STATIC_ASSERT(sizeof(*nxk_group_of_kernel) == sizeof(nexus_cpu_group),                  \
                      "nexus_barrier() works only in NEXUS_KERNEL: a bounded kernel skips "     \
                      "items, and in a phased kernel each NEXUS_PHASE ends with a barrier");    \
    nxk_wait((nexus_cpu_group *)(void *)nxk_group_of_kernel, nxk_item_in_kernel_or_phase.local, \
             __LINE__);                                                                         \
  } while (0)

NEXUS_FUNCTION void nxk_wait(nexus_cpu_group *group, const nexus_int32 *item, nexus_int32 site) {
  group->range->barrier(group, item, site);
}

/*
 * The rest of a range after an item has reached a barrier: all items of its group have run, the
 * groups before it in the row have run only their first items in x, and the others have not begun.
 * From here on the items of a group run consecutively, as the backend requires. Few items run in
 * these loops, since all but the first of a group run in fibers.
 */
NXK_UNUSED static inline void nxk_finish_range(const nexus_cpu_range *range, nxk_row row, int done,
                                               void (*run_item)(const nexus_cpu_group *,
                                                                const nexus_int32 *),
                                               void *const *arrays) {
  const nexus_cpu_sizes *const sizes = range->sizes;
  do {
    for (int g = 0; g < row.count; ++g) {
      nexus_cpu_group group = {sizeof(nexus_cpu_group),
                               range,
                               {row.group[0] + g, row.group[1], row.group[2]},
                               0,
                               run_item,
                               arrays};
      const int first_y = group.id[0] < done ? 1 : 0;
      if (group.id[0] == done) continue;
      for (int z = 0; z < sizes->group_size[2]; ++z) {
        for (int y = z == 0 ? first_y : 0; y < sizes->group_size[1]; ++y) {
          for (int x = 0; x < sizes->group_size[0] && !group.others_done; ++x) {
            const nexus_int32 item[3] = {x, y, z};
            run_item(&group, item);
          }
        }
      }
    }
    done = -1;
  } while (nxk_next_row(&row, sizes));
}

/* ==== How a kernel is made ============================================ */

/* The expansion of each parameter; count is an array's length. */
#define NXK_PARAMETER(type, name) NXK_UNUSED type name,
#define NXK_PASS(type, name) name,
#define NXK_LOAD(type, name) type name = *(type *)*nxk_argument++;
#define NXK_ARRAY_PARAMETER(type, name, count) NXK_UNUSED type *name,
#define NXK_ARRAY_PASS(type, name, count) name,
#define NXK_ARRAY_DECLARE(type, name, count) NXK_UNUSED NXK_CACHE_LINE type name[count];
#define NXK_ARRAY_ADDRESS(type, name, count) name,
#define NXK_ARRAY_LOAD(type, name, count) type *name = (type *)*nxk_array++;
#define NXK_FIND_GUARD(type, name)          \
  if (!nxk_has_guard && NXK_IS_INT(type)) { \
    nxk_guard = NXK_INT(name);              \
    nxk_has_guard = 1;                      \
  }

/* Clang only: with this hint gcc vectorises less than without it. */
#if defined(__clang__)
#define NXK_ASSUME(condition) __builtin_assume(condition)
#else
#define NXK_ASSUME(condition) (void)0
#endif

/* Rows of narrow groups are too short to vectorise, so they are joined into one loop. */
#define NXK_NARROW_GROUP 64

/* clang-format off */
#define NXK_ITEM_KERNEL(...) NXK_ITEM_KERNEL_(__VA_ARGS__)

/*
 * nxk_body_<name>  one work item: the text that follows
 * nxk_rows_<name>  the loops; the parameters are its own, so that restrict holds
 * nxk_run_<name>   unpacks the arguments
 * nxk_item_<name>  one work item, for the backend to run in a fiber
 */
#define NXK_ITEM_KERNEL_(kernel, barriers, bounds, ...)                                           \
  NXK_CHECK(kernel, __VA_ARGS__)                                                                  \
  NXK_CHECK_BOUNDS(kernel, bounds);                                                               \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, NXK_ARRAY_PARAMETER, __VA_ARGS__)                                   \
      nxk_item_ids nxk_item_in_kernel_or_phase, const int *nxk_group_id,                          \
      const nexus_cpu_sizes *nxk_sizes, NXK_GROUP_OF_##barriers *nxk_group_of_kernel);            \
  NXK_ITEM_OF_##barriers(kernel, __VA_ARGS__)                                                     \
  static __attribute__((noinline)) void NXK_PASTE(nxk_rows_, kernel)(                             \
      NXK_EACH_ARGUMENT(NXK_PARAMETER, __VA_ARGS__) const nexus_cpu_range *nxk_range) {           \
    const nexus_cpu_sizes nxk_copy = *nxk_range->sizes;                                           \
    const nexus_cpu_sizes *const nxk_sizes = &nxk_copy;                                           \
    const int nxk_bounds[3] = {nxk_bound(NXK_TRIPLE_X(bounds, NXK_UNBOUNDED)),                    \
                               nxk_bound(NXK_TRIPLE_Y(bounds, NXK_UNBOUNDED)),                    \
                               nxk_bound(NXK_TRIPLE_Z(bounds, NXK_UNBOUNDED))};                   \
    int nxk_guard = 0;                                                                            \
    int nxk_has_guard = 0;                                                                        \
    NXK_EACH_ARGUMENT(NXK_FIND_GUARD, __VA_ARGS__)                                                \
    (void)nxk_has_guard, (void)nxk_guard;                                                         \
    NXK_EACH_ARRAY(NXK_ARRAY_DECLARE, __VA_ARGS__)                                                \
    NXK_STATE_OF_##barriers(kernel, __VA_ARGS__)                                                  \
    nxk_row nxk_at = {nxk_range->group_begin, nxk_range->group_end, {0, 0, 0}, 0};                \
    while (nxk_next_row(&nxk_at, nxk_sizes)) {                                                    \
      const int nxk_x = nxk_at.group[0] * nxk_sizes->group_size[0];                               \
      const int nxk_y = nxk_at.group[1] * nxk_sizes->group_size[1];                               \
      const int nxk_z = nxk_at.group[2] * nxk_sizes->group_size[2];                               \
      const int nxk_items_y = nxk_below(nxk_y, nxk_sizes->group_size[1], nxk_bounds[1]);          \
      const int nxk_items_z = nxk_below(nxk_z, nxk_sizes->group_size[2], nxk_bounds[2]);          \
      for (int nxk_k = 0; nxk_k < nxk_items_z; ++nxk_k) {                                         \
        for (int nxk_j = 0; nxk_j < nxk_items_y; ++nxk_j) {                                       \
          NXK_LOOP_X(NXK_PASTE(nxk_body_, kernel), barriers,                                      \
                     NXK_EACH(NXK_PASS, NXK_ARRAY_PASS, __VA_ARGS__))                             \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  NXK_RUN(kernel, __VA_ARGS__)                                                                    \
  NXK_DESCRIPTION(kernel, (0, 0, 0), __VA_ARGS__)                                                 \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, NXK_ARRAY_PARAMETER, __VA_ARGS__)                                   \
      NXK_UNUSED nxk_item_ids nxk_item_in_kernel_or_phase, NXK_UNUSED const int *nxk_group_id,    \
      NXK_UNUSED const nexus_cpu_sizes *nxk_sizes,                                                \
      NXK_UNUSED NXK_GROUP_OF_##barriers *nxk_group_of_kernel)

#define NXK_RUN(kernel, ...)                                                                      \
  static void NXK_PASTE(nxk_run_, kernel)(const nexus_cpu_range *nxk_range) {                     \
    void *const *nxk_argument = nxk_range->arguments;                                             \
    (void)nxk_argument;                                                                           \
    NXK_EACH_ARGUMENT(NXK_LOAD, __VA_ARGS__)                                                      \
    NXK_PASTE(nxk_rows_, kernel)(NXK_EACH_ARGUMENT(NXK_PASS, __VA_ARGS__) nxk_range);             \
  }

/*
 * With barriers or without, what differs: the type that the body gets, the function for one item,
 * the group in the frame of the loops, and what follows an item. A kernel that never calls
 * nexus_barrier() does not use the group, so all of it is optimised away.
 */
#define NXK_GROUP_OF_NXK_NO_BARRIERS nxk_no_barrier
#define NXK_ITEM_OF_NXK_NO_BARRIERS(kernel, ...)
#define NXK_STATE_OF_NXK_NO_BARRIERS(kernel, ...) nxk_no_barrier nxk_group = {0};
#define NXK_ENTER_NXK_NO_BARRIERS(x)
#define NXK_LEAVE_NXK_NO_BARRIERS

#define NXK_GROUP_OF_NXK_BARRIERS nexus_cpu_group
#define NXK_ITEM_OF_NXK_BARRIERS(kernel, ...)                                                     \
  static void NXK_PASTE(nxk_item_, kernel)(const nexus_cpu_group *nxk_group,                      \
                                           const nexus_int32 *nxk_local) {                        \
    const nexus_cpu_sizes *const nxk_sizes = nxk_group->range->sizes;                             \
    void *const *nxk_argument = nxk_group->range->arguments;                                      \
    void *const *nxk_array = nxk_group->local_arrays;                                             \
    const nxk_item_ids nxk_ids = {                                                                \
        {nxk_group->id[0] * nxk_sizes->group_size[0] + nxk_local[0],                              \
         nxk_group->id[1] * nxk_sizes->group_size[1] + nxk_local[1],                              \
         nxk_group->id[2] * nxk_sizes->group_size[2] + nxk_local[2]},                             \
        {nxk_local[0], nxk_local[1], nxk_local[2]}, 0};                                           \
    (void)nxk_argument, (void)nxk_array;                                                          \
    NXK_EACH(NXK_LOAD, NXK_ARRAY_LOAD, __VA_ARGS__)                                               \
    NXK_PASTE(nxk_body_, kernel)(NXK_EACH(NXK_PASS, NXK_ARRAY_PASS, __VA_ARGS__) nxk_ids,         \
                                 nxk_group->id, nxk_sizes, (nexus_cpu_group *)nxk_group);         \
  }
#define NXK_STATE_OF_NXK_BARRIERS(kernel, ...)                                                    \
  void *const nxk_arrays[] = {NXK_EACH_ARRAY(NXK_ARRAY_ADDRESS, __VA_ARGS__) 0};                  \
  nexus_cpu_group nxk_group = {sizeof(nexus_cpu_group), nxk_range, {0, 0, 0}, 0,                  \
                               NXK_PASTE(nxk_item_, kernel), nxk_arrays};
#define NXK_ENTER_NXK_BARRIERS(x)                                                                 \
  nxk_group.id[0] = (x);                                                                          \
  nxk_group.id[1] = nxk_at.group[1];                                                              \
  nxk_group.id[2] = nxk_at.group[2];
#define NXK_LEAVE_NXK_BARRIERS                                                                    \
  if (nxk_group.others_done) {                                                                    \
    nxk_finish_range(nxk_range, nxk_at, nxk_group.id[0], nxk_group.run_item, nxk_arrays);         \
    return;                                                                                       \
  }

/* The items of a group with the same y and z. The usual guard compares the global id with the
 * first int parameter. If it holds for all items, the loop needs no masks; masked loops reached
 * only a third of the memory bandwidth. */
#define NXK_LOOP_GROUP(body, barriers, fact, ...)                                                 \
  NXK_INDEPENDENT                                                                                 \
  for (int nxk_i = 0; nxk_i < nxk_items; ++nxk_i) {                                               \
    const nxk_item_ids nxk_ids = {{nxk_first + nxk_i, nxk_y + nxk_j, nxk_z + nxk_k},              \
                                  {nxk_i, nxk_j, nxk_k}, 0};                                      \
    const int nxk_id[3] = {nxk_at.group[0] + nxk_g, nxk_at.group[1], nxk_at.group[2]};            \
    fact;                                                                                         \
    NXK_ENTER_##barriers(nxk_id[0])                                                               \
    body(__VA_ARGS__ nxk_ids, nxk_id, nxk_sizes, &nxk_group);                                     \
    NXK_LEAVE_##barriers                                                                          \
  }

/* The items of a row with the same y and z. Wide groups: a loop over the groups and
 * one over their items. Narrow ones: one loop, where the group's and the local id
 * count along and cost nothing in a kernel that does not read them. */
#define NXK_LOOP_X(body, barriers, ...)                                                           \
  if (nxk_sizes->group_size[0] >= NXK_NARROW_GROUP || nxk_at.count == 1) {                        \
    for (int nxk_g = 0; nxk_g < nxk_at.count; ++nxk_g) {                                          \
      const int nxk_first = nxk_x + nxk_g * nxk_sizes->group_size[0];                             \
      const int nxk_items = nxk_below(nxk_first, nxk_sizes->group_size[0], nxk_bounds[0]);        \
      if (nxk_guard - nxk_first >= nxk_items) {                                                   \
        NXK_LOOP_GROUP(body, barriers, NXK_ASSUME(nxk_first + nxk_i < nxk_guard), __VA_ARGS__)    \
      } else {                                                                                    \
        NXK_LOOP_GROUP(body, barriers, (void)0, __VA_ARGS__)                                      \
      }                                                                                           \
    }                                                                                             \
  } else {                                                                                        \
    const int nxk_items =                                                                         \
        nxk_below(nxk_x, nxk_at.count * nxk_sizes->group_size[0], nxk_bounds[0]);                 \
    int nxk_g = nxk_at.group[0];                                                                  \
    int nxk_l = 0;                                                                                \
    NXK_INDEPENDENT                                                                               \
    for (int nxk_i = 0; nxk_i < nxk_items; ++nxk_i) {                                             \
      const nxk_item_ids nxk_ids = {{nxk_x + nxk_i, nxk_y + nxk_j, nxk_z + nxk_k},                \
                                    {nxk_l, nxk_j, nxk_k}, 0};                                    \
      const int nxk_id[3] = {nxk_g, nxk_at.group[1], nxk_at.group[2]};                            \
      NXK_ENTER_##barriers(nxk_g)                                                                 \
      body(__VA_ARGS__ nxk_ids, nxk_id, nxk_sizes, &nxk_group);                                   \
      NXK_LEAVE_##barriers                                                                        \
      nxk_l = nxk_l + 1 == nxk_sizes->group_size[0] ? 0 : nxk_l + 1;                              \
      nxk_g += nxk_l == 0;                                                                        \
    }                                                                                             \
  }
/* clang-format on */

#endif /* NEXUS_KERNEL_CPU_KERNEL_H_ */
