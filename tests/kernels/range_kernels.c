/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with nexus_kernel.h. */
#include <nexus_kernel.h>

NEXUS_KERNEL(add, (NEXUS_GLOBAL const float *, a), (NEXUS_GLOBAL const float *, b),
             (NEXUS_GLOBAL float *, c), (int, n)) {
  int i = nexus_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

NEXUS_KERNEL_BOUNDED(add_bounded, (n), (NEXUS_GLOBAL const float *, a),
                     (NEXUS_GLOBAL const float *, b), (NEXUS_GLOBAL float *, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}

/* Adds 1 where it runs, so that an item that runs twice or not at all shows. */
NEXUS_KERNEL_BOUNDED(count_1d, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, counts)) {
  counts[nexus_global_id(0)] += 1;
}

NEXUS_KERNEL(count_3d, (NEXUS_GLOBAL int *, counts)) {
  int x = nexus_global_id(0), y = nexus_global_id(1), z = nexus_global_id(2);
  int width = nexus_grid_size(0), height = nexus_grid_size(1);
  if (x < width && y < height && z < nexus_grid_size(2)) {
    counts[(z * height + y) * width + x] += 1;
  }
}

/* Each kind and type of argument, for its description. */
NEXUS_KERNEL(kinds, (NEXUS_GLOBAL const double *, input), (NEXUS_CONSTANT float *, weights),
             (NEXUS_LOCAL nexus_int16 *, scratch),
             (NEXUS_GLOBAL unsigned long long *NEXUS_RESTRICT, output), (long long, count)) {
  (void)input;
  (void)weights;
  (void)scratch;
  (void)output;
  (void)count;
}

/* Each group adds up its items' values in its local memory. */
NEXUS_KERNEL(local_sum, (NEXUS_LOCAL int *, sum), (NEXUS_GLOBAL const int *, in),
             (NEXUS_GLOBAL int *, out)) {
  int local = nexus_local_id(0);
  if (local == 0) sum[0] = 0;
  nexus_barrier();
  nexus_atomic_add(sum, in[nexus_global_id(0)]);
  nexus_barrier();
  if (local == nexus_group_size(0) - 1) out[nexus_group_id(0)] = sum[0];
}

/* out = out * factor + term, which tells the order of two runs apart. */
NEXUS_KERNEL_BOUNDED(scale_and_add, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, factor),
                     (int, term)) {
  int i = nexus_global_id(0);
  out[i] = out[i] * factor + term;
}

/* Waits until the host lets it go: a stream with this in it is busy. */
NEXUS_KERNEL(wait_for_gate, (NEXUS_GLOBAL int *, gate)) {
  while (__atomic_load_n(gate, __ATOMIC_ACQUIRE) == 0) {
  }
}

NEXUS_KERNEL(no_arguments) {}
