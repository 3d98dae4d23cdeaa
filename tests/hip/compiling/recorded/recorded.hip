// SPDX-License-Identifier: Apache-2.0
// What the code objects of this folder were made of: gfx90a.hsaco (version 4, gfx90a:xnack-) by
// hipRTC 5.2.3, gfx1100.hsaco (version 5) by clang 19, both without their symbol tables for debuggers.
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
NEXUS_KERNEL(reverse, (NEXUS_GLOBAL int *, data), (NEXUS_LOCAL int *, scratch),
             (NEXUS_LOCAL int, fixed, 16)) {
  int i = nexus_local_id(0);
  scratch[i] = data[i];
  fixed[i % 16] = i;
  nexus_barrier();
  data[i] = scratch[nexus_group_size(0) - 1 - i] + fixed[0];
}
