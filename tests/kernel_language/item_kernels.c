/* SPDX-License-Identifier: Apache-2.0 */
/* What one work item knows, and where it runs. Compiled as C and as C++. */
#include <nexus_kernel.h>

/* 18 numbers for each launched item. */
NEXUS_KERNEL(tell_ids, (NEXUS_GLOBAL int *, out)) {
  int width = nexus_launch_size(0), height = nexus_launch_size(1);
  int at = (nexus_global_id(2) * height + nexus_global_id(1)) * width + nexus_global_id(0);
  for (int d = 0; d < 3; ++d) {
    out[at * 18 + d] = nexus_global_id(d);
    out[at * 18 + 3 + d] = nexus_group_id(d);
    out[at * 18 + 6 + d] = nexus_local_id(d);
    out[at * 18 + 9 + d] = nexus_group_size(d);
    out[at * 18 + 12 + d] = nexus_group_count(d);
    out[at * 18 + 15 + d] = nexus_grid_size(d);
  }
}

/* The same from within a phase of a group of 4 x 3 x 2. */
NEXUS_PHASED_KERNEL(tell_ids_in_phase, (4, 3, 2), (NEXUS_GLOBAL int *, out)) {
  int width = nexus_launch_size(0), height = nexus_launch_size(1);
  NEXUS_PHASE {
    int at = (nexus_global_id(2) * height + nexus_global_id(1)) * width + nexus_global_id(0);
    for (int d = 0; d < 3; ++d) {
      out[at * 18 + d] = nexus_global_id(d);
      out[at * 18 + 3 + d] = nexus_group_id(d);
      out[at * 18 + 6 + d] = nexus_local_id(d);
      out[at * 18 + 9 + d] = nexus_group_size(d);
      out[at * 18 + 12 + d] = nexus_group_count(d);
      out[at * 18 + 15 + d] = nexus_grid_size(d);
    }
  }
}

/* Adds 1 where an item runs, so that one which runs twice or not at all shows. */
NEXUS_KERNEL_BOUNDED(count_bounded, (width, height, depth), (NEXUS_GLOBAL int *, counts),
                     (int, width), (int, height), (int, depth)) {
  counts[(nexus_global_id(2) * nexus_launch_size(1) + nexus_global_id(1)) * nexus_launch_size(0) +
         nexus_global_id(0)] += 1;
}

NEXUS_KERNEL_BOUNDED(count_expression, (2 * n - nexus_grid_size(0)), (NEXUS_GLOBAL int *, counts),
                     (int, n)) {
  counts[nexus_global_id(0)] += 1;
}

NEXUS_CONSTANT_DATA float weights[3] = {0.25f, 0.5f, 0.25f};

NEXUS_FUNCTION float at_or_zero(NEXUS_GLOBAL const float *x, int i, int n) {
  return i >= 0 && i < n ? x[i] : 0.0f;
}

NEXUS_KERNEL(smooth, (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y), (int, n)) {
  int i = nexus_global_id(0);
  float sum = 0.0f;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) sum += weights[k] * at_or_zero(x, i + k - 1, n);
  y[i] = sum;
}

NEXUS_KERNEL(look_up, (NEXUS_CONSTANT float *, table), (NEXUS_GLOBAL const nexus_uint8 *, index),
             (NEXUS_GLOBAL float *NEXUS_RESTRICT, out), (int, n)) {
  int i = nexus_global_id(0);
  if (i < n) out[i] = table[index[i]];
}

/* Through memory of the group whose size the command gives: each item of its own. */
NEXUS_KERNEL(through_local, (NEXUS_GLOBAL const int *, in), (NEXUS_GLOBAL int *, out),
             (NEXUS_LOCAL int *, scratch)) {
  scratch[nexus_local_id(0)] = in[nexus_global_id(0)];
  out[nexus_global_id(0)] = scratch[nexus_local_id(0)] + 1;
}

NEXUS_KERNEL(each_type, (NEXUS_GLOBAL double *, out), (nexus_int8, i8), (nexus_uint8, u8),
             (nexus_int16, i16), (nexus_uint16, u16), (nexus_int32, i32), (nexus_uint32, u32),
             (nexus_int64, i64), (nexus_uint64, u64), (float, f32), (double, f64),
             (nexus_bool, flag)) {
  out[0] = i8;
  out[1] = u8;
  out[2] = i16;
  out[3] = u16;
  out[4] = i32;
  out[5] = u32;
  out[6] = (double)i64;
  out[7] = (double)u64;
  out[8] = (double)f32;
  out[9] = f64;
  out[10] = flag ? 1.0 : 0.0;
}

NEXUS_KERNEL(no_arguments) {}

NEXUS_KERNEL(describe, (NEXUS_GLOBAL const float *, x), (NEXUS_CONSTANT nexus_int4 *, table),
             (NEXUS_LOCAL nexus_uint16 *, scratch), (nexus_float4, v),
             (NEXUS_GLOBAL nexus_uint64 * NEXUS_RESTRICT, y), (NEXUS_LOCAL float, own, 30),
             (nexus_bool, flag), (NEXUS_LOCAL nexus_int2, pairs, 4)) {}
