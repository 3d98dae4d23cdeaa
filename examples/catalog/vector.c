// SPDX-License-Identifier: Apache-2.0
// The library "vector" of the catalog.

NEXUS_KERNEL_BOUNDED(scale, (n), (NEXUS_GLOBAL float *, x), (float, a), (int, n)) {
  x[nexus_global_id(0)] *= a;
}

NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL float *, x), (NEXUS_GLOBAL const float *, y),
                     (int, n)) {
  int i = nexus_global_id(0);
  x[i] += y[i];
}
