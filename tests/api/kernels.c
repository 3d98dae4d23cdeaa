/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the API's tests: some describe themselves, some are plain C functions. */
#include <nexus_kernel.h>
#include <string.h>

NEXUS_SETTABLE_DATA int table[4] = {1, 2, 3, 4};

/* x *= factor */
NEXUS_KERNEL(scale, (NEXUS_GLOBAL float *, x), (float, factor)) {
  int i = nexus_global_id(0);
  if (i < nexus_grid_size(0)) x[i] *= factor;
}

/* c = a + b */
NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL const float *, a), (NEXUS_GLOBAL const float *, b),
                     (NEXUS_GLOBAL float *, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}

/* One row for each work item: its ids and the sizes that it sees, in x, y and z. */
NEXUS_KERNEL(sizes, (NEXUS_GLOBAL int *, out)) {
  if (nexus_global_id(0) == 0 && nexus_global_id(1) == 0 && nexus_global_id(2) == 0) {
    for (int d = 0; d < 3; ++d) {
      out[d] = nexus_group_size(d);
      out[3 + d] = nexus_group_count(d);
      out[6 + d] = nexus_grid_size(d);
    }
  }
}

/* The bytes of each scalar, one after the other. */
#define STORE(value)                       \
  memcpy(out + at, &value, sizeof(value)); \
  at += (int)sizeof(value)
NEXUS_KERNEL_BOUNDED(integers, (1), (NEXUS_GLOBAL unsigned char *, out), (signed char, i8),
                     (unsigned char, u8), (short, i16), (unsigned short, u16), (int, i32),
                     (unsigned int, u32), (long long, i64), (unsigned long long, u64)) {
  int at = 0;
  STORE(i8);
  STORE(u8);
  STORE(i16);
  STORE(u16);
  STORE(i32);
  STORE(u32);
  STORE(i64);
  STORE(u64);
}
NEXUS_KERNEL_BOUNDED(numbers, (1), (NEXUS_GLOBAL unsigned char *, out), (float, f32), (double, f64),
                     (nexus_bool, flag)) {
  int at = 0;
  STORE(f32);
  STORE(f64);
  STORE(flag);
}

#define PLAIN __attribute__((visibility("default"))) void

/* A plain C function, called for each work item: y = a x + y. */
PLAIN plain_saxpy(const float *x, float *y, const float *a, const int *launch_size,
                  const int *launch_id, void *local_memory, void *barrier) {
  (void)local_memory;
  (void)barrier;
  int i = launch_id[0] * launch_size[3] + launch_id[3];
  y[i] = *a * x[i] + y[i];
}
