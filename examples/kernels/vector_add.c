/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b, one value a work item. The bound takes the place of `if (i < n)`. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(vector_add, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, a),
                     (NEXUS_GLOBAL const float *NEXUS_RESTRICT, b),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}
