/* SPDX-License-Identifier: Apache-2.0 */
/* In a file of its own, since not every device has double. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(store_f64, (1), (NEXUS_GLOBAL double *, out), (double, value)) {
  out[0] = value;
}
