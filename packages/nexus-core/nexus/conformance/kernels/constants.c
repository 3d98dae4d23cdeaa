/* SPDX-License-Identifier: Apache-2.0 */
/* A table that the program sets, for tests of variables of libraries. */
#include <nexus_kernel.h>

NEXUS_SETTABLE_DATA int table[4] = {1, 2, 3, 4};

NEXUS_KERNEL_BOUNDED(look_up, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out)) {
  int i = nexus_global_id(0);
  out[i] = table[i & 3];
}
