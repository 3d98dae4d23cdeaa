/* SPDX-License-Identifier: Apache-2.0 */
/* y = a * x + y. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
