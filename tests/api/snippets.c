/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel.so that the snippets of the user's documents load. */
#include <nexus_kernel.h>

/* x += x */
NEXUS_KERNEL(add_vectors, (NEXUS_GLOBAL float *, x)) {
  int i = nexus_global_id(0);
  if (i < nexus_grid_size(0)) x[i] += x[i];
}
