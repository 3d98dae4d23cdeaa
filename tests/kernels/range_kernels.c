/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with nexus_kernel.h. The text is also compiled as C++. */
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

NEXUS_KERNEL_BOUNDED(count_2d, (nexus_grid_size(0), nexus_grid_size(1)),
                     (NEXUS_GLOBAL int *, counts)) {
  counts[nexus_global_id(1) * nexus_grid_size(0) + nexus_global_id(0)] += 1;
}

NEXUS_KERNEL(count_3d, (NEXUS_GLOBAL int *, counts)) {
  int x = nexus_global_id(0), y = nexus_global_id(1), z = nexus_global_id(2);
  int width = nexus_grid_size(0), height = nexus_grid_size(1);
  if (x < width && y < height && z < nexus_grid_size(2)) {
    counts[(z * height + y) * width + x] += 1;
  }
}

/* Everything that an item knows of itself: 15 numbers for each of the launched items. */
NEXUS_KERNEL(tell_ids, (NEXUS_GLOBAL int *, out)) {
  int width = nexus_launch_size(0), height = nexus_launch_size(1);
  int at = (nexus_global_id(2) * height + nexus_global_id(1)) * width + nexus_global_id(0);
  for (int d = 0; d < 3; ++d) {
    out[at * 15 + d] = nexus_group_id(d);
    out[at * 15 + 3 + d] = nexus_local_id(d);
    out[at * 15 + 6 + d] = nexus_group_size(d);
    out[at * 15 + 9 + d] = nexus_group_count(d);
    out[at * 15 + 12 + d] = nexus_grid_size(d);
  }
}

/* Only within bounds in each dimension. */
NEXUS_KERNEL_BOUNDED(fill_box, (width, height, depth), (NEXUS_GLOBAL int *, out), (int, width),
                     (int, height), (int, depth), (int, value)) {
  int x = nexus_global_id(0), y = nexus_global_id(1), z = nexus_global_id(2);
  out[(z * nexus_launch_size(1) + y) * nexus_launch_size(0) + x] = value;
}

/* Each scalar, bit for bit, as bytes. */
NEXUS_FUNCTION void store(NEXUS_GLOBAL unsigned char *out, const void *value, int size) {
  for (int i = 0; i < size; ++i) out[i] = ((const unsigned char *)value)[i];
}

NEXUS_KERNEL(scalars, (NEXUS_GLOBAL unsigned char *, out), (nexus_int8, i8), (nexus_uint8, u8),
             (nexus_int16, i16), (nexus_uint16, u16), (nexus_int32, i32), (nexus_uint32, u32),
             (nexus_int64, i64), (nexus_uint64, u64), (float, f32), (double, f64),
             (nexus_bool, flag)) {
  store(out, &i8, 1);
  store(out + 1, &u8, 1);
  store(out + 2, &i16, 2);
  store(out + 4, &u16, 2);
  store(out + 8, &i32, 4);
  store(out + 12, &u32, 4);
  store(out + 16, &i64, 8);
  store(out + 24, &u64, 8);
  store(out + 32, &f32, 4);
  store(out + 40, &f64, 8);
  store(out + 48, &flag, 1);
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

/* Spends about as many additions as asked for, for each item. */
NEXUS_KERNEL(spend, (NEXUS_GLOBAL unsigned *, out), (unsigned, rounds)) {
  unsigned value = (unsigned)nexus_global_id(0);
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  out[nexus_global_id(0)] = value;
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

/* The largest number of arguments: the first gets the sum of the others. */
#define P(name) (NEXUS_GLOBAL int *, name)
#define V(name) *name
#define EIGHT(m, t) m(t##0), m(t##1), m(t##2), m(t##3), m(t##4), m(t##5), m(t##6), m(t##7)
NEXUS_KERNEL(sum_64, EIGHT(P, a0), EIGHT(P, a1), EIGHT(P, a2), EIGHT(P, a3), EIGHT(P, a4),
             EIGHT(P, a5), EIGHT(P, a6), EIGHT(P, a7)) {
  int values[64] = {EIGHT(V, a0), EIGHT(V, a1), EIGHT(V, a2), EIGHT(V, a3),
                    EIGHT(V, a4), EIGHT(V, a5), EIGHT(V, a6), EIGHT(V, a7)};
  int sum = 0;
  for (int i = 1; i < 64; ++i) sum += values[i];
  *a00 = sum;
}
