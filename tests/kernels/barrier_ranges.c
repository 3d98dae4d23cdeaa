/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the portable language that synchronise their work items. */
#include <nexus_kernel.h>

/* wrong[group, item]: how often the item on the group's other end had not written its number. */
NEXUS_KERNEL(exchange, (NEXUS_GLOBAL int *, wrong), (int, rounds), (NEXUS_LOCAL int *, memory)) {
  int size_x = nexus_group_size(0);
  int size_y = nexus_group_size(1);
  int count = size_x * size_y * nexus_group_size(2);
  int item = nexus_local_id(0) + size_x * (nexus_local_id(1) + size_y * nexus_local_id(2));
  int group = nexus_group_id(0) +
              nexus_group_count(0) * (nexus_group_id(1) + nexus_group_count(1) * nexus_group_id(2));
  int bad = 0;
  for (int round = 0; round < rounds; ++round) {
    memory[item] = item + round;
    nexus_barrier();
    bad += memory[count - 1 - item] != count - 1 - item + round;
    nexus_barrier();
  }
  wrong[group * count + item] += bad;
}

NEXUS_KERNEL(two_places, (int, loner)) {
#line 100
  if (nexus_local_id(0) == loner) nexus_barrier();
#line 200
  if (nexus_local_id(0) != loner) nexus_barrier();
}

NEXUS_KERNEL(guarded, (int, n)) {
  if (nexus_global_id(0) >= n) return;
#line 300
  nexus_barrier();
}
