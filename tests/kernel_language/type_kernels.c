/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and atomics. Compiled as C and as C++. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(float4s, (n), (NEXUS_GLOBAL const nexus_float4 *, a),
                     (NEXUS_GLOBAL const nexus_float4 *, b), (NEXUS_GLOBAL nexus_float4 *, out),
                     (NEXUS_GLOBAL float *, dots), (int, n)) {
  int i = nexus_global_id(0);
  nexus_float4 v = a[i] * 2.0f + b[i] / a[i] - 1.0f;
  nexus_w(v) = nexus_x(a[i]) + 0.5f * nexus_y(b[i]) - nexus_z(a[i]);
  out[i] = v;
  dots[i] = nexus_dot(a[i], b[i]);
}

NEXUS_KERNEL_BOUNDED(float2s, (n), (NEXUS_GLOBAL const nexus_float2 *, a),
                     (NEXUS_GLOBAL nexus_float2 *, out), (NEXUS_GLOBAL float *, dots), (int, n)) {
  int i = nexus_global_id(0);
  nexus_float2 turned = nexus_make_float2(-nexus_y(a[i]), nexus_x(a[i]));
  out[i] = 3.0f * turned * a[i];
  dots[i] = nexus_dot(a[i], a[i] + turned);
}

NEXUS_KERNEL_BOUNDED(ints, (n), (NEXUS_GLOBAL const nexus_int4 *, a),
                     (NEXUS_GLOBAL nexus_int4 *, b), (NEXUS_GLOBAL nexus_uint2 *, c), (int, n)) {
  int i = nexus_global_id(0);
  nexus_int2 half = nexus_make_int2(nexus_x(a[i]), nexus_w(a[i])) / 2;
  b[i] = a[i] * nexus_make_int4(1, 2, 3, 4) - nexus_y(half);
  nexus_uint4 wide = nexus_make_uint4(1u, 2u, 3u, 4u) * (nexus_uint32)nexus_x(half);
  c[i] = nexus_make_uint2(nexus_x(wide) + nexus_z(wide), nexus_w(wide));
}

NEXUS_KERNEL_BOUNDED(histogram, (n), (NEXUS_GLOBAL const nexus_uint8 *, x),
                     (NEXUS_GLOBAL int *, ints), (NEXUS_GLOBAL nexus_uint32 *, unsigneds),
                     (NEXUS_GLOBAL float *, floats), (int, n)) {
  int bin = x[nexus_global_id(0)];
  nexus_atomic_add(&ints[bin], 1);
  nexus_atomic_add(&unsigneds[bin], 2u);
  nexus_atomic_add(&floats[bin], 0.5f);
}

/* Smallest and largest of all, of each type. */
NEXUS_KERNEL_BOUNDED(extremes, (n), (NEXUS_GLOBAL const int *, x), (NEXUS_GLOBAL int *, ints),
                     (NEXUS_GLOBAL nexus_uint32 *, unsigneds), (NEXUS_GLOBAL float *, floats),
                     (int, n)) {
  int value = x[nexus_global_id(0)];
  nexus_atomic_min(&ints[0], value);
  nexus_atomic_max(&ints[1], value);
  nexus_atomic_min(&unsigneds[0], (nexus_uint32)value);
  nexus_atomic_max(&unsigneds[1], (nexus_uint32)value);
  nexus_atomic_min(&floats[0], (float)value);
  nexus_atomic_max(&floats[1], (float)value);
}

/* Each item takes a ticket of each kind: all are different. */
NEXUS_KERNEL_BOUNDED(tickets, (n), (NEXUS_GLOBAL int *, next), (NEXUS_GLOBAL int *, added),
                     (NEXUS_GLOBAL int *, compared), (int, n)) {
  int i = nexus_global_id(0), seen = 0, old;
  added[i] = nexus_atomic_add(&next[0], 1);
  while ((old = nexus_atomic_compare_exchange(&next[1], seen, seen + 1)) != seen) seen = old;
  compared[i] = seen;
}

/* What exchange and compare-exchange give back, and leave. One item. */
NEXUS_KERNEL_BOUNDED(exchanges, (1), (NEXUS_GLOBAL int *, i), (NEXUS_GLOBAL nexus_uint32 *, u),
                     (NEXUS_GLOBAL float *, f)) {
  i[1] = nexus_atomic_exchange(&i[0], -7);
  i[3] = nexus_atomic_compare_exchange(&i[2], 5, 6);
  u[1] = nexus_atomic_exchange(&u[0], 4000000000u);
  u[3] = nexus_atomic_compare_exchange(&u[2], 8u, 9u);
  f[1] = nexus_atomic_exchange(&f[0], 1.5f);
  f[3] = nexus_atomic_compare_exchange(&f[2], 2.5f, 3.5f);
}

/* Votes of a group in local memory, with phases. */
NEXUS_PHASED_KERNEL(count_positive, (128, 1, 1), (NEXUS_GLOBAL const float *, x),
                    (NEXUS_GLOBAL int *, counts), (int, n), (NEXUS_LOCAL int, count, 1)) {
  NEXUS_PHASE {
    if (nexus_local_id(0) == 0) count[0] = 0;
  }
  NEXUS_PHASE {
    int i = nexus_global_id(0);
    if (i < n && x[i] > 0.0f) nexus_atomic_add(&count[0], 1);
  }
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) counts[nexus_group_id(0)] = count[0];
  }
}
