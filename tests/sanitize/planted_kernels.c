/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with mistakes on purpose, for what runs them to meet. */
#include <nexus_kernel.h>

/* x[0 .. n-1] = 1, also where x is shorter. */
NEXUS_KERNEL_BOUNDED(write_beyond, (n), (NEXUS_GLOBAL int *, x), (int, n)) {
  x[nexus_global_id(0)] = 1;
}

/* It describes one argument and says that there are two. */
static void do_nothing(const nexus_cpu_range *range) {
  (void)range;
}
static const nexus_cpu_argument one_argument[1] = {
    {sizeof(nexus_cpu_argument), "x", "float *", NEXUS_CPU_ARGUMENT_BUFFER, NEXUS_CPU_F32, 0, 0, 0},
};
__attribute__((visibility("default"))) extern const nexus_cpu_kernel nexus_cpu_kernel_miscounted;
const nexus_cpu_kernel nexus_cpu_kernel_miscounted = {
    sizeof(nexus_cpu_kernel), NEXUS_KERNEL_VERSION, 2, "miscounted", one_argument, do_nothing,
};
