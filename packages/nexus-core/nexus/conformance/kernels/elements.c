/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with a work item for each element, for tests of order, arguments and memory. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(fill_i32, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, value)) {
  out[nexus_global_id(0)] = value;
}

NEXUS_KERNEL_BOUNDED(fill_i64, (nexus_grid_size(0)), (NEXUS_GLOBAL nexus_int64 *, out),
                     (nexus_int64, value)) {
  out[nexus_global_id(0)] = value;
}

NEXUS_KERNEL_BOUNDED(copy_u8, (nexus_grid_size(0)), (NEXUS_GLOBAL const nexus_uint8 *, x),
                     (NEXUS_GLOBAL nexus_uint8 *, out)) {
  int i = nexus_global_id(0);
  out[i] = x[i];
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

NEXUS_KERNEL_BOUNDED(scale_f32, (nexus_grid_size(0)), (NEXUS_GLOBAL const float *, x),
                     (float, factor), (NEXUS_GLOBAL float *, out)) {
  int i = nexus_global_id(0);
  out[i] = x[i] * factor;
}
