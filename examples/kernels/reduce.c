/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum of n values, by a tree in each group of 256: run it on the values, then on the sums of
 * the groups, until one is left. Twice: with phases, which a CPU turns into plain loops, and with
 * barriers, as kernels for GPUs are often written.
 */
#include <nexus_kernel.h>

#define GROUP 256

NEXUS_PHASED_KERNEL(reduce, (GROUP, 1, 1), (NEXUS_GLOBAL const float *, values),
                    (NEXUS_GLOBAL float *, sums), (int, n), (NEXUS_LOCAL float, part, GROUP)) {
  NEXUS_PHASE {
    int i = nexus_global_id(0);
    part[nexus_local_id(0)] = i < n ? values[i] : 0.0f;
  }
  for (int width = GROUP / 2; width > 0; width /= 2) {
    NEXUS_PHASE {
      int l = nexus_local_id(0);
      if (l < width) part[l] += part[l + width];
    }
  }
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) sums[nexus_group_id(0)] = part[0];
  }
}

/* To be run in groups of 256. */
NEXUS_KERNEL(reduce_with_barriers, (NEXUS_GLOBAL const float *, values),
             (NEXUS_GLOBAL float *, sums), (int, n), (NEXUS_LOCAL float, part, GROUP)) {
  int i = nexus_global_id(0), l = nexus_local_id(0);
  part[l] = i < n ? values[i] : 0.0f;
  nexus_barrier();
  for (int width = GROUP / 2; width > 0; width /= 2) {
    if (l < width) part[l] += part[l + width];
    nexus_barrier();
  }
  if (l == 0) sums[nexus_group_id(0)] = part[0];
}
