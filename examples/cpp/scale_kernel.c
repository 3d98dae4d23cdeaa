/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of scale.cpp: x *= factor. */
#include <nexus_kernel.h>

NEXUS_KERNEL(scale, (NEXUS_GLOBAL float *, x), (float, factor)) {
  int i = nexus_global_id(0);
  if (i < nexus_grid_size(0)) x[i] *= factor;
}
