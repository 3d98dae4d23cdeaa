# SPDX-License-Identifier: Apache-2.0
"""Programs that the tests compile."""

from __future__ import annotations

SAXPY = """
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""

TWO_KERNELS = """
NEXUS_KERNEL_BOUNDED(twice, (n), (NEXUS_GLOBAL float *, x), (int, n)) {
  int i = nexus_global_id(0);
  x[i] *= FACTOR;
}
NEXUS_KERNEL_BOUNDED(fill, (n), (NEXUS_GLOBAL int *, out), (int, n)) {
  out[nexus_global_id(0)] = NUMBER;
}
"""

GROUP_SUMS = """
NEXUS_PHASED_KERNEL(group_sums, (4, 1, 1), (NEXUS_GLOBAL const float *, x),
                    (NEXUS_GLOBAL float *, sums), (NEXUS_LOCAL float *, scratch),
                    (NEXUS_LOCAL float, part, 4)) {
  NEXUS_PHASE { part[nexus_local_id(0)] = x[nexus_global_id(0)]; }
  NEXUS_PHASE { scratch[nexus_local_id(0)] = part[3 - nexus_local_id(0)]; }
  NEXUS_PHASE {
    if (nexus_local_id(0) == 0) {
      sums[nexus_group_id(0)] = scratch[0] + scratch[1] + scratch[2] + scratch[3];
    }
  }
}
"""
