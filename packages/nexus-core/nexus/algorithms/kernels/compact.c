/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves the elements whose mask is not 0 to their places, of which `places` has the number of such
 * elements before each; one item tells that there are none. NXA_T is a type of their size, NXA_M
 * that of the mask.
 */
NEXUS_KERNEL_BOUNDED(compact_move, (n > 0 ? n : 1), (NEXUS_GLOBAL const NXA_T *, x),
                     (NEXUS_GLOBAL const NXA_M *, mask), (NEXUS_GLOBAL const nexus_int32 *, places),
                     (NEXUS_GLOBAL NXA_T *, out), (NEXUS_GLOBAL nexus_int64 *, count),
                     (nexus_int32, n)) {
  const int i = nexus_global_id(0);
  const int taken = i < n && mask[i] != 0;
  if (taken) out[places[i]] = x[i];
  if (i >= n - 1) count[0] = n > 0 ? places[i] + taken : 0;
}
