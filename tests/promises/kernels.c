/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's side of what the tests of the promises run: the kernels that the reference backend has
 * built in, by the same names, and one that ends when the test says so. */
#include <nexus_kernel.h>
#include <time.h>

NEXUS_KERNEL_BOUNDED(fill_i32, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, value)) {
  out[nexus_global_id(0)] = value;
}

NEXUS_KERNEL_BOUNDED(copy_i32, (nexus_grid_size(0)), (NEXUS_GLOBAL const int *, x),
                     (NEXUS_GLOBAL int *, out)) {
  int i = nexus_global_id(0);
  out[i] = x[i];
}

NEXUS_KERNEL_BOUNDED(add_i32, (nexus_grid_size(0)), (NEXUS_GLOBAL const int *, a),
                     (NEXUS_GLOBAL const int *, b), (NEXUS_GLOBAL int *, out)) {
  int i = nexus_global_id(0);
  out[i] = a[i] + b[i];
}

/* Says in gate[0] that it runs, and ends when the host writes to gate[1]: after some time anyway,
 * so that a test which failed leaves nothing running. */
NEXUS_KERNEL_BOUNDED(gate, (1), (NEXUS_GLOBAL int *, gate)) {
  struct timespec pause = {0, 100000};
  __atomic_store_n(&gate[0], 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 120000 && !__atomic_load_n(&gate[1], __ATOMIC_ACQUIRE); ++i) {
    nanosleep(&pause, 0);
  }
}
