/* SPDX-License-Identifier: Apache-2.0 */
/* Work items on the CPU: their ids, and how the groups of a range are walked. */
#ifndef NEXUS_KERNEL_CPU_ITEMS_H_
#define NEXUS_KERNEL_CPU_ITEMS_H_

/*
 * Before a loop over work items: its iterations are independent. The clang compilers warn where
 * they can't vectorise such a loop, which is not the kernel's fault.
 */
#if defined(__clang__)
#define NXK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define NXK_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define NXK_PICK(triple, dimension) \
  ((dimension) == 0 ? (triple)[0] : (dimension) == 1 ? (triple)[1] : (triple)[2])

/* The names in scope of a kernel's body; the items' name tells in errors where it can be used. */
#define nexus_global_id(dimension) NXK_PICK(nxk_item_in_kernel_or_phase.global, dimension)
#define nexus_local_id(dimension) NXK_PICK(nxk_item_in_kernel_or_phase.local, dimension)
#define nexus_group_id(dimension) NXK_PICK(nxk_group_id, dimension)
#define nexus_group_size(dimension) NXK_PICK(nxk_sizes->group_size, dimension)
#define nexus_group_count(dimension) NXK_PICK(nxk_sizes->group_count, dimension)
#define nexus_grid_size(dimension) NXK_PICK(nxk_sizes->grid_size, dimension)
#define nexus_launch_size(dimension) (nexus_group_count(dimension) * nexus_group_size(dimension))

typedef struct nxk_item_ids {
  int global[3];
  int local[3];
  int number; /* within a group of a phased kernel, x first */
} nxk_item_ids;

/* Neighbouring groups in x, within one range. */
typedef struct nxk_row {
  nexus_uint64 next, end; /* linear group numbers that are still to be walked */
  int group[3];           /* the first group of the row */
  int count;              /* groups in the row */
} nxk_row;

NEXUS_FUNCTION int nxk_next_row(nxk_row *row, const nexus_cpu_sizes *sizes) {
  const nexus_uint64 count_x = (nexus_uint64)sizes->group_count[0];
  const nexus_uint64 count_y = (nexus_uint64)sizes->group_count[1];
  nexus_uint64 x, left;
  if (row->next >= row->end) return 0;
  x = row->next % count_x;
  left = row->end - row->next;
  row->group[0] = (int)x;
  row->group[1] = (int)(row->next / count_x % count_y);
  row->group[2] = (int)(row->next / count_x / count_y);
  row->count = (int)(left < count_x - x ? left : count_x - x);
  row->next += (nexus_uint64)row->count;
  return 1;
}

#define NXK_UNBOUNDED 0x7fffffff

NEXUS_FUNCTION int nxk_bound(long long bound) {
  return bound < 0 ? 0 : bound > NXK_UNBOUNDED ? NXK_UNBOUNDED : (int)bound;
}

/* How many items from first on, at most count, are below the bound. */
NEXUS_FUNCTION int nxk_below(int first, int count, int bound) {
  return bound <= first ? 0 : bound - first < count ? bound - first : count;
}

#endif /* NEXUS_KERNEL_CPU_ITEMS_H_ */
