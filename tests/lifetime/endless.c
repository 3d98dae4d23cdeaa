/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that still runs when its process ends. */
#include <nexus_kernel.h>
#include <time.h>

/* Says in running[0] that it runs. */
NEXUS_KERNEL_BOUNDED(endless, (1), (NEXUS_GLOBAL int *, running)) {
  struct timespec pause = {1, 0};
  __atomic_store_n(&running[0], 1, __ATOMIC_RELEASE);
  for (;;) {
    nanosleep(&pause, 0);
  }
}
