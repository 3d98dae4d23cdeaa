/* SPDX-License-Identifier: Apache-2.0 */
/* Fails on the CPU, wherever a group has more than one item. */
#include <nexus_kernel.h>

NEXUS_KERNEL(stray_barrier) {
  if (nexus_local_id(0) == 0) nexus_barrier();
}
