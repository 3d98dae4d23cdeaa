/* SPDX-License-Identifier: Apache-2.0 */
/* Every atomic operation on each type, in global and in local memory. */

NEXUS_KERNEL_BOUNDED(atomics_of_int, (n), (NEXUS_GLOBAL int *, cells), (NEXUS_GLOBAL int *, old),
                     (NEXUS_GLOBAL const int *, values), (int, n)) {
  int i = nexus_global_id(0);
  old[i] = nexus_atomic_add(&cells[0], 1);
  nexus_atomic_add(&cells[1], values[i]);
  nexus_atomic_min(&cells[2], values[i]);
  nexus_atomic_max(&cells[3], values[i]);
  if (i == n - 1) {
    old[n] = nexus_atomic_exchange(&cells[4], 77);
    old[n + 1] = nexus_atomic_compare_exchange(&cells[5], 5, 55);
    old[n + 2] = nexus_atomic_compare_exchange(&cells[6], 5, 55);
  }
}

NEXUS_KERNEL_BOUNDED(atomics_of_uint, (n), (NEXUS_GLOBAL nexus_uint32 *, cells),
                     (NEXUS_GLOBAL nexus_uint32 *, old),
                     (NEXUS_GLOBAL const nexus_uint32 *, values), (int, n)) {
  int i = nexus_global_id(0);
  old[i] = nexus_atomic_add(&cells[0], 1u);
  nexus_atomic_add(&cells[1], values[i]);
  nexus_atomic_min(&cells[2], values[i]);
  nexus_atomic_max(&cells[3], values[i]);
  if (i == n - 1) {
    old[n] = nexus_atomic_exchange(&cells[4], 77u);
    old[n + 1] = nexus_atomic_compare_exchange(&cells[5], 5u, 55u);
    old[n + 2] = nexus_atomic_compare_exchange(&cells[6], 5u, 55u);
  }
}

NEXUS_KERNEL_BOUNDED(atomics_of_float, (n), (NEXUS_GLOBAL float *, cells),
                     (NEXUS_GLOBAL float *, old), (NEXUS_GLOBAL const float *, values), (int, n)) {
  int i = nexus_global_id(0);
  old[i] = nexus_atomic_add(&cells[0], 1.0f);
  nexus_atomic_add(&cells[1], values[i]);
  nexus_atomic_min(&cells[2], values[i]);
  nexus_atomic_max(&cells[3], values[i]);
  if (i == n - 1) {
    old[n] = nexus_atomic_exchange(&cells[4], 77.0f);
    old[n + 1] = nexus_atomic_compare_exchange(&cells[5], 5.0f, 55.0f);
    old[n + 2] = nexus_atomic_compare_exchange(&cells[6], 5.0f, 55.0f);
  }
}

/* One group; each begins as the caller's cells and is written back. */
NEXUS_KERNEL(atomics_in_local, (NEXUS_GLOBAL int *, ints), (NEXUS_GLOBAL nexus_uint32 *, uints),
             (NEXUS_GLOBAL float *, floats), (NEXUS_GLOBAL const int *, values),
             (NEXUS_LOCAL int, int_cells, 6), (NEXUS_LOCAL nexus_uint32, uint_cells, 6),
             (NEXUS_LOCAL float, float_cells, 6)) {
  int l = nexus_local_id(0);
  if (l < 6) {
    int_cells[l] = ints[l];
    uint_cells[l] = uints[l];
    float_cells[l] = floats[l];
  }
  nexus_barrier();
  nexus_atomic_add(&int_cells[0], values[l]);
  nexus_atomic_min(&int_cells[1], values[l]);
  nexus_atomic_max(&int_cells[2], values[l]);
  nexus_atomic_add(&uint_cells[0], (nexus_uint32)values[l]);
  nexus_atomic_min(&uint_cells[1], (nexus_uint32)values[l]);
  nexus_atomic_max(&uint_cells[2], (nexus_uint32)values[l]);
  nexus_atomic_add(&float_cells[0], (float)values[l]);
  nexus_atomic_min(&float_cells[1], (float)values[l]);
  nexus_atomic_max(&float_cells[2], (float)values[l]);
  if (l == 0) {
    int_cells[3] = nexus_atomic_exchange(&int_cells[4], 9);
    uint_cells[3] = nexus_atomic_exchange(&uint_cells[4], 9u);
    float_cells[3] = nexus_atomic_exchange(&float_cells[4], 9.0f);
    nexus_atomic_compare_exchange(&int_cells[5], 5, 55);
    nexus_atomic_compare_exchange(&uint_cells[5], 5u, 55u);
    nexus_atomic_compare_exchange(&float_cells[5], 5.0f, 55.0f);
  }
  nexus_barrier();
  if (l < 6) {
    ints[l] = int_cells[l];
    uints[l] = uint_cells[l];
    floats[l] = float_cells[l];
  }
}
