/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's side of the kernels that the reference backend has built in, by the same names, and
 * some for kinds of arguments that it has not. */
#include <nexus_kernel.h>
#include <string.h>

NEXUS_SETTABLE_DATA float gains[3] = {1, 2, 3};
const float fixed[3] = {1, 2, 3};

NEXUS_KERNEL_BOUNDED(fill_i32, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, value)) {
  out[nexus_global_id(0)] = value;
}

NEXUS_KERNEL_BOUNDED(scale_f32, (nexus_grid_size(0)), (NEXUS_GLOBAL const float *, x),
                     (float, factor), (NEXUS_GLOBAL float *, out)) {
  int i = nexus_global_id(0);
  out[i] = factor * x[i];
}

NEXUS_KERNEL_BOUNDED(add_f32, (nexus_grid_size(0)), (NEXUS_GLOBAL const float *, a),
                     (NEXUS_GLOBAL const float *, b), (NEXUS_GLOBAL float *, out)) {
  int i = nexus_global_id(0);
  out[i] = a[i] + b[i];
}

/* Each item of a group writes its number to the group's memory, and its neighbour's to out. */
NEXUS_KERNEL_BOUNDED(with_memory, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out),
                     (NEXUS_LOCAL int *, shared)) {
  shared[nexus_local_id(0)] = nexus_global_id(0);
  out[nexus_global_id(0)] = shared[nexus_local_id(0)];
}

/* The sizes that the kernel sees: of a group, of groups, of the grid. */
NEXUS_KERNEL(sizes, (NEXUS_GLOBAL int *, out)) {
  if (nexus_global_id(0) == 0 && nexus_global_id(1) == 0 && nexus_global_id(2) == 0) {
    for (int d = 0; d < 3; ++d) {
      out[d] = nexus_group_size(d);
      out[3 + d] = nexus_group_count(d);
      out[6 + d] = nexus_grid_size(d);
    }
  }
}

/* The bytes of one scalar, for each width and kind. */
#define STORING(type, name)                                                                     \
  NEXUS_KERNEL_BOUNDED(store_##name, (1), (NEXUS_GLOBAL unsigned char *, out), (type, value)) { \
    memcpy(out, &value, sizeof(value));                                                         \
  }
STORING(signed char, int8)
STORING(unsigned char, uint8)
STORING(short, int16)
STORING(unsigned short, uint16)
STORING(int, int32)
STORING(unsigned int, uint32)
STORING(long long, int64)
STORING(unsigned long long, uint64)
STORING(float, float32)
STORING(double, float64)
STORING(nexus_bool, bool)

#define PLAIN __attribute__((visibility("default"))) void

/* A plain C function, which says nothing of its arguments: x *= *factor. */
PLAIN plain_scale(float *x, const float *factor, const int *launch_size, const int *launch_id,
                  void *local_memory, void *barrier) {
  (void)local_memory;
  (void)barrier;
  x[launch_id[0] * launch_size[3] + launch_id[3]] *= *factor;
}
