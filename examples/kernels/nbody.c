/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gravity between all pairs of n bodies: the acceleration of each.
 *
 * A group copies 32 bodies at a time to local memory, where each of its items adds their pull on
 * its own body. In a step the items do the same with the same two bodies, so that a CPU works on
 * several items with one instruction and keeps their sums in registers meanwhile.
 */
#include <nexus_kernel.h>

#define GROUP 32

NEXUS_PHASED_KERNEL(nbody, (GROUP, 1, 1), (NEXUS_GLOBAL const float *, x),
                    (NEXUS_GLOBAL const float *, y), (NEXUS_GLOBAL const float *, z),
                    (NEXUS_GLOBAL const float *, mass), (NEXUS_GLOBAL float *, ax),
                    (NEXUS_GLOBAL float *, ay), (NEXUS_GLOBAL float *, az), (float, softening),
                    (int, n), (NEXUS_LOCAL float, other_x, GROUP),
                    (NEXUS_LOCAL float, other_y, GROUP), (NEXUS_LOCAL float, other_z, GROUP),
                    (NEXUS_LOCAL float, other_mass, GROUP)) {
  NEXUS_PRIVATE(float, my_x);
  NEXUS_PRIVATE(float, my_y);
  NEXUS_PRIVATE(float, my_z);
  NEXUS_PRIVATE(float, sum_x);
  NEXUS_PRIVATE(float, sum_y);
  NEXUS_PRIVATE(float, sum_z);
  NEXUS_STEP {
    int i = nexus_global_id(0);
    NEXUS_MINE(my_x) = i < n ? x[i] : 0.0f;
    NEXUS_MINE(my_y) = i < n ? y[i] : 0.0f;
    NEXUS_MINE(my_z) = i < n ? z[i] : 0.0f;
    NEXUS_MINE(sum_x) = 0.0f;
    NEXUS_MINE(sum_y) = 0.0f;
    NEXUS_MINE(sum_z) = 0.0f;
  }
  for (int first = 0; first < n; first += GROUP) {
    NEXUS_PHASE {
      int l = nexus_local_id(0), j = first + l;
      other_x[l] = j < n ? x[j] : 0.0f;
      other_y[l] = j < n ? y[j] : 0.0f;
      other_z[l] = j < n ? z[j] : 0.0f;
      other_mass[l] = j < n ? mass[j] : 0.0f; /* beyond the last: no pull */
    }
    for (int j = 0; j < GROUP; j += 2) {
      NEXUS_STEP {
        float fx = NEXUS_MINE(sum_x);
        float fy = NEXUS_MINE(sum_y);
        float fz = NEXUS_MINE(sum_z);
        for (int k = j; k < j + 2; ++k) {
          float dx = other_x[k] - NEXUS_MINE(my_x);
          float dy = other_y[k] - NEXUS_MINE(my_y);
          float dz = other_z[k] - NEXUS_MINE(my_z);
          float near = nexus_rsqrt(softening + dx * dx + dy * dy + dz * dz);
          float pull = other_mass[k] * near * near * near;
          fx += dx * pull;
          fy += dy * pull;
          fz += dz * pull;
        }
        NEXUS_MINE(sum_x) = fx;
        NEXUS_MINE(sum_y) = fy;
        NEXUS_MINE(sum_z) = fz;
      }
    }
    NEXUS_PHASE {} /* all have read these bodies: the next may be copied over them */
  }
  NEXUS_STEP {
    int i = nexus_global_id(0);
    if (i < n) {
      ax[i] = NEXUS_MINE(sum_x);
      ay[i] = NEXUS_MINE(sum_y);
      az[i] = NEXUS_MINE(sum_z);
    }
  }
}
