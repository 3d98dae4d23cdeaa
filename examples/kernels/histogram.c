/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each of the 256 values of a byte is in x. bins begins with zeros.
 *
 * A group counts in local memory, where fewer items meet, and adds its counts to bins once. Each
 * item takes every (256 x groups)-th value.
 */
#include <nexus_kernel.h>

#define BINS 256

NEXUS_PHASED_KERNEL(histogram, (BINS, 1, 1), (NEXUS_GLOBAL const nexus_uint8 *, x),
                    (NEXUS_GLOBAL nexus_uint32 *, bins), (int, n),
                    (NEXUS_LOCAL nexus_uint32, counts, BINS)) {
  NEXUS_PHASE {
    counts[nexus_local_id(0)] = 0u;
  }
  NEXUS_PHASE {
    for (int i = nexus_global_id(0); i < n; i += nexus_launch_size(0)) {
      nexus_atomic_add(&counts[x[i]], 1u);
    }
  }
  NEXUS_STEP {
    int value = nexus_local_id(0);
    if (counts[value] != 0u) nexus_atomic_add(&bins[value], counts[value]);
  }
}
