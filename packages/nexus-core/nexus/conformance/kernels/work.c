/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do nothing, run long, add atomically, and write beyond 4 GiB. */
#include <nexus_kernel.h>

NEXUS_KERNEL(empty) {}

/* Each turn needs the one before it, so that no compiler can shorten it. */
NEXUS_KERNEL_BOUNDED(spin, (nexus_grid_size(0)), (NEXUS_GLOBAL nexus_uint32 *, out),
                     (nexus_int64, turns)) {
  int i = nexus_global_id(0);
  nexus_uint32 x = out[i];
  for (nexus_int64 k = 0; k < turns; ++k) x = x * 1664525u + (x >> 16) + 1013904223u;
  out[i] = x;
}

NEXUS_KERNEL_BOUNDED(count_up, (nexus_grid_size(0), nexus_grid_size(1), nexus_grid_size(2)),
                     (NEXUS_GLOBAL int *, counter)) {
  nexus_atomic_add(&counter[0], 1);
}

NEXUS_KERNEL_BOUNDED(set_byte, (1), (NEXUS_GLOBAL nexus_uint8 *, out), (nexus_int64, at),
                     (nexus_uint8, value)) {
  out[at] = value;
}
