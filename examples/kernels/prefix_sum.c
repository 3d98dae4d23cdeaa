/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefix sums: out[i] = in[0] + ... + in[i]. `prefix_sum` makes those of each group of 256 and the
 * sum of the group. Where there is more than one group, the prefix sums of the groups' sums are
 * made in the same way, and `prefix_sum_add` adds to each group what comes before it.
 */
#include <nexus_kernel.h>

#define GROUP 256

NEXUS_PHASED_KERNEL(prefix_sum, (GROUP, 1, 1), (NEXUS_GLOBAL const float *, in),
                    (NEXUS_GLOBAL float *, out), (NEXUS_GLOBAL float *, sums), (int, n),
                    (NEXUS_LOCAL float, part, 2 * GROUP)) {
  NEXUS_PRIVATE(float, sum);
  NEXUS_PHASE {
    int i = nexus_global_id(0), l = nexus_local_id(0);
    part[l] = 0.0f; /* what lies before the group, so that no item needs a branch */
    part[GROUP + l] = i < n ? in[i] : 0.0f;
  }
  for (int distance = 1; distance < GROUP; distance *= 2) {
    NEXUS_PHASE {
      int l = GROUP + nexus_local_id(0);
      NEXUS_MINE(sum) = part[l] + part[l - distance];
    }
    NEXUS_PHASE {
      part[GROUP + nexus_local_id(0)] = NEXUS_MINE(sum);
    }
  }
  NEXUS_STEP {
    int i = nexus_global_id(0), l = nexus_local_id(0);
    if (i < n) out[i] = part[GROUP + l];
    if (l == GROUP - 1) sums[nexus_group_id(0)] = part[GROUP + l];
  }
}

/* To be run in groups of 256. sums: the prefix sums of the groups' sums. */
NEXUS_KERNEL_BOUNDED(prefix_sum_add, (n), (NEXUS_GLOBAL float *, out),
                     (NEXUS_GLOBAL const float *, sums), (int, n)) {
  int group = nexus_group_id(0);
  if (group > 0) out[nexus_global_id(0)] += sums[group - 1];
}
