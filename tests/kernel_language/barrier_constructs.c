/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in NEXUS_KERNEL. Compiled as C and as C++. */
#include <nexus_kernel.h>

/* Each group's items in the opposite order, through an array that the kernel declares. */
NEXUS_KERNEL(reverse, (NEXUS_GLOBAL const int *, in), (NEXUS_GLOBAL int *, out),
             (NEXUS_LOCAL int, box, 512)) {
  int size = nexus_group_size(0) * nexus_group_size(1) * nexus_group_size(2);
  int local = (nexus_local_id(2) * nexus_group_size(1) + nexus_local_id(1)) * nexus_group_size(0) +
              nexus_local_id(0);
  int group =
      (nexus_group_id(2) * nexus_group_count(1) + nexus_group_id(1)) * nexus_group_count(0) +
      nexus_group_id(0);
  box[local] = in[group * size + local];
  nexus_barrier();
  out[group * size + local] = box[size - 1 - local];
}

/* The same through two arrays: one declared, one whose size the command gives. Odd groups only;
 * the others copy, and meet no barrier. */
NEXUS_KERNEL(reverse_odd_groups, (NEXUS_GLOBAL const int *, in), (NEXUS_GLOBAL int *, out),
             (NEXUS_LOCAL int *, given), (NEXUS_LOCAL int, own, 512)) {
  int size = nexus_group_size(0) * nexus_group_size(1);
  int local = nexus_local_id(1) * nexus_group_size(0) + nexus_local_id(0);
  int at = (nexus_group_id(1) * nexus_group_count(0) + nexus_group_id(0)) * size;
  if (nexus_group_id(0) % 2 == 0) {
    out[at + local] = in[at + local];
    return;
  }
  own[local] = in[at + local];
  nexus_barrier();
  given[local] = own[size - 1 - local];
  nexus_barrier();
  out[at + local] = given[local];
}
