/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of `nexus demo`: y = a x + y for single-precision numbers. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, x),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, y), (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
