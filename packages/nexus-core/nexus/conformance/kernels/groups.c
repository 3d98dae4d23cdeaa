/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and sizes, local memory and barriers. */
#include <nexus_kernel.h>

/* Each item that is launched, also beyond the grid, writes 21 numbers at its place in the launch:
 * for x, y and z its global, group and local id, the group's size, the number of groups, the items
 * requested and the items launched. */
NEXUS_KERNEL(write_ids, (NEXUS_GLOBAL int *, out)) {
  int row = nexus_global_id(2) * nexus_launch_size(1) + nexus_global_id(1);
  NEXUS_GLOBAL int *mine = out + 21 * (row * nexus_launch_size(0) + nexus_global_id(0));
  mine[0] = nexus_global_id(0);
  mine[1] = nexus_global_id(1);
  mine[2] = nexus_global_id(2);
  mine[3] = nexus_group_id(0);
  mine[4] = nexus_group_id(1);
  mine[5] = nexus_group_id(2);
  mine[6] = nexus_local_id(0);
  mine[7] = nexus_local_id(1);
  mine[8] = nexus_local_id(2);
  mine[9] = nexus_group_size(0);
  mine[10] = nexus_group_size(1);
  mine[11] = nexus_group_size(2);
  mine[12] = nexus_group_count(0);
  mine[13] = nexus_group_count(1);
  mine[14] = nexus_group_count(2);
  mine[15] = nexus_grid_size(0);
  mine[16] = nexus_grid_size(1);
  mine[17] = nexus_grid_size(2);
  mine[18] = nexus_launch_size(0);
  mine[19] = nexus_launch_size(1);
  mine[20] = nexus_launch_size(2);
}

/* The sum of each group's part of x, in one dimension. scratch has an int for each item of a
 * group. */
NEXUS_KERNEL(group_sum, (NEXUS_GLOBAL const int *, x), (NEXUS_GLOBAL int *, sums),
             (NEXUS_LOCAL int *, scratch)) {
  int i = nexus_global_id(0), l = nexus_local_id(0);
  scratch[l] = i < nexus_grid_size(0) ? x[i] : 0;
  nexus_barrier();
  if (l == 0) {
    int sum = 0;
    for (int k = 0; k < nexus_group_size(0); ++k) sum += scratch[k];
    sums[nexus_group_id(0)] = sum;
  }
}

/* Reverses each whole group of at most 64 items, through an array of the kernel's own. */
NEXUS_KERNEL(reverse_groups, (NEXUS_GLOBAL int *, x), (NEXUS_LOCAL int, tile, 64)) {
  int i = nexus_global_id(0), l = nexus_local_id(0);
  tile[l] = x[i];
  nexus_barrier();
  x[i] = tile[nexus_group_size(0) - 1 - l];
}
