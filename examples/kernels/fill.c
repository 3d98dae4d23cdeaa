/* SPDX-License-Identifier: Apache-2.0 */
/* Sets every element to a value. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(fill, (n), (NEXUS_GLOBAL float *, x), (float, value), (int, n)) {
  x[nexus_global_id(0)] = value;
}
