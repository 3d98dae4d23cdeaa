/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts a power of two of values in ascending order, by compare and exchange of pairs that are
 * `distance` apart, in runs of `run` values that ascend and descend in turns. The host launches it
 * for run = 2, 4, ... n and, within each, distance = run / 2, run / 4, ... 1; one item for each
 * pair.
 */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(bitonic_step, (pairs), (NEXUS_GLOBAL float *, x), (int, run), (int, distance),
                     (int, pairs)) {
  int pair = nexus_global_id(0);
  int low = pair / distance * 2 * distance + pair % distance;
  int high = low + distance;
  float a = x[low];
  float b = x[high];
  int ascending = (low & run) == 0;
  x[low] = ascending ? nexus_min(a, b) : nexus_max(a, b);
  x[high] = ascending ? nexus_max(a, b) : nexus_min(a, b);
}
