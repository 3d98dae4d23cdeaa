/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NEXUS_PHASED_KERNEL on the CPU: the text of a kernel is one group, and a phase or step in it is a
 * loop over the items with constant bounds. The group's arrays and the values of its items are in
 * the frame of the function, where compilers see all their uses.
 */
#ifndef NEXUS_KERNEL_CPU_PHASES_H_
#define NEXUS_KERNEL_CPU_PHASES_H_

#define NEXUS_PHASED_KERNEL(...) \
  NXK_PHASED_KERNEL(NXK_FIRST(__VA_ARGS__), NXK_SECOND(__VA_ARGS__), NXK_WITHOUT_FIRST(__VA_ARGS__))

/* The group size, as constants, from the type of a parameter that has no value: char[z][y][x]. */
#define NXK_SIZE (sizeof(*nxk_shape_of_phased_kernel))
#define NXK_SIZE_X ((int)sizeof((*nxk_shape_of_phased_kernel)[0][0]))
#define NXK_SIZE_Y \
  ((int)(sizeof((*nxk_shape_of_phased_kernel)[0]) / sizeof((*nxk_shape_of_phased_kernel)[0][0])))
#define NXK_SIZE_Z ((int)(NXK_SIZE / sizeof((*nxk_shape_of_phased_kernel)[0])))

#define NEXUS_PHASE NXK_INDEPENDENT_ITEMS(NXK_INDEPENDENT)
#define NEXUS_STEP NXK_INDEPENDENT_ITEMS(NXK_INDEPENDENT)
/* Clang unrolls a short inner loop before it vectorises. It would then vectorise the outer loop
 * across rows with gathers, which measured a hundredth of the speed of the unrolled row. */
#if defined(__clang__)
#define NXK_NOT_ACROSS_ROWS _Pragma("clang loop vectorize(disable)")
#else
#define NXK_NOT_ACROSS_ROWS
#endif
/* clang-format off */
#define NXK_INDEPENDENT_ITEMS(independent)                                                        \
  NXK_NOT_ACROSS_ROWS for (int nxk_z = 0; nxk_z < NXK_SIZE_Z; ++nxk_z)                            \
    NXK_NOT_ACROSS_ROWS for (int nxk_y = 0; nxk_y < NXK_SIZE_Y; ++nxk_y)                          \
      independent for (                                                                           \
          nxk_item_ids nxk_item_in_kernel_or_phase =                                              \
              {{nxk_first_item[0], nxk_first_item[1] + nxk_y, nxk_first_item[2] + nxk_z},         \
               {0, nxk_y, nxk_z}, (nxk_z * NXK_SIZE_Y + nxk_y) * NXK_SIZE_X};                     \
          nxk_item_in_kernel_or_phase.local[0] < NXK_SIZE_X;                                      \
          ++nxk_item_in_kernel_or_phase.local[0], ++nxk_item_in_kernel_or_phase.global[0],        \
          ++nxk_item_in_kernel_or_phase.number)
/* clang-format on */

#define NEXUS_PRIVATE(type, name) NXK_CACHE_LINE type nxk_private_##name[NXK_SIZE]
#define NEXUS_MINE(name) nxk_private_##name[nxk_item_in_kernel_or_phase.number]

#define NEXUS_ANY(condition)          \
  __extension__({                     \
    int nxk_any = 0;                  \
    NXK_INDEPENDENT_ITEMS() {         \
      nxk_any |= (condition) ? 1 : 0; \
    }                                 \
    nxk_any;                          \
  })

/* The group before, with its next neighbour's id. */
NEXUS_FUNCTION void nxk_next_group(int *id, const nexus_cpu_sizes *sizes) {
  if (++id[0] < sizes->group_count[0]) return;
  id[0] = 0;
  if (++id[1] < sizes->group_count[1]) return;
  id[1] = 0;
  ++id[2];
}

/* clang-format off */
#define NXK_PHASED_KERNEL(...) NXK_PHASED_KERNEL_(__VA_ARGS__)

/* As NXK_ITEM_KERNEL_, but nxk_body_<name> is one group. */
#define NXK_PHASED_KERNEL_(kernel, shape, ...)                                                    \
  NXK_CHECK(kernel, __VA_ARGS__)                                                                  \
  NXK_CHECK_GROUP_SIZE(kernel, shape);                                                            \
  typedef char NXK_PASTE(nxk_shape_, kernel)                                                      \
      [NXK_TRIPLE_Z(shape, 1)][NXK_TRIPLE_Y(shape, 1)][NXK_TRIPLE_X(shape, 1)];                   \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, NXK_ARRAY_PARAMETER, __VA_ARGS__)                                   \
      const int *nxk_group_id, const int *nxk_first_item, const nexus_cpu_sizes *nxk_sizes,       \
      const nxk_no_barrier *nxk_group_of_kernel,                                                  \
      const NXK_PASTE(nxk_shape_, kernel) *nxk_shape_of_phased_kernel);                           \
  static __attribute__((noinline)) void NXK_PASTE(nxk_rows_, kernel)(                             \
      NXK_EACH_ARGUMENT(NXK_PARAMETER, __VA_ARGS__) const nexus_cpu_range *nxk_range) {           \
    const nexus_cpu_sizes nxk_sizes = {                                                           \
        {nxk_range->sizes->grid_size[0], nxk_range->sizes->grid_size[1],                          \
         nxk_range->sizes->grid_size[2]},                                                         \
        {NXK_TRIPLE_X(shape, 1), NXK_TRIPLE_Y(shape, 1), NXK_TRIPLE_Z(shape, 1)},                 \
        {nxk_range->sizes->group_count[0], nxk_range->sizes->group_count[1],                      \
         nxk_range->sizes->group_count[2]}, 0};                                                   \
    NXK_EACH_ARRAY(NXK_ARRAY_DECLARE, __VA_ARGS__)                                                \
    nxk_row nxk_at = {nxk_range->group_begin, nxk_range->group_end, {0, 0, 0}, 0};                \
    if (!nxk_next_row(&nxk_at, &nxk_sizes)) return;                                               \
    for (nexus_uint64 nxk_g = nxk_range->group_begin; nxk_g < nxk_range->group_end; ++nxk_g) {    \
      const int nxk_first[3] = {nxk_at.group[0] * nxk_sizes.group_size[0],                        \
                                nxk_at.group[1] * nxk_sizes.group_size[1],                        \
                                nxk_at.group[2] * nxk_sizes.group_size[2]};                       \
      NXK_PASTE(nxk_body_, kernel)(NXK_EACH(NXK_PASS, NXK_ARRAY_PASS, __VA_ARGS__)                \
                                   nxk_at.group, nxk_first, &nxk_sizes, 0, 0);                    \
      nxk_next_group(nxk_at.group, &nxk_sizes);                                                   \
    }                                                                                             \
  }                                                                                               \
  NXK_RUN(kernel, __VA_ARGS__)                                                                    \
  NXK_DESCRIPTION(kernel, shape, __VA_ARGS__)                                                     \
  NEXUS_FUNCTION void NXK_PASTE(nxk_body_, kernel)(                                               \
      NXK_EACH(NXK_PARAMETER, NXK_ARRAY_PARAMETER, __VA_ARGS__)                                   \
      NXK_UNUSED const int *nxk_group_id, NXK_UNUSED const int *nxk_first_item,                   \
      NXK_UNUSED const nexus_cpu_sizes *nxk_sizes,                                                \
      NXK_UNUSED const nxk_no_barrier *nxk_group_of_kernel,                                       \
      NXK_UNUSED const NXK_PASTE(nxk_shape_, kernel) *nxk_shape_of_phased_kernel)
/* clang-format on */

#endif /* NEXUS_KERNEL_CPU_PHASES_H_ */
