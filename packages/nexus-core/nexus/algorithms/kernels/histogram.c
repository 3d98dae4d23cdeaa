/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many elements each bin has: of each chunk (`histogram_chunks`), then of all.
 *
 *   NXA_X                   the type of the elements
 *   NXA_BINS                the number of bins
 *   NXA_LOCAL_BINS          the same if a group counts in local memory, else 1
 *   NXA_R                   the type of the edges, in which bins are found
 */
#if NXA_ON_CPU
#define GROUP 1
#define ADD(count) (*(count) += 1u)
#else
#define GROUP 256
#define ADD(count) nexus_atomic_add(count, 1u)
#endif

/* The first estimate may be one off, because it is rounded: the edges decide. */
NEXUS_FUNCTION int bin_of(NXA_R x, NXA_R least, NXA_R most, NXA_R scale,
                          NEXUS_GLOBAL const NXA_R *edges) {
  int bin;
  if (!(x >= least && x <= most)) return -1;
  bin = (int)((x - least) * scale);
  if (bin >= NXA_BINS) bin = NXA_BINS - 1;
  if (x < edges[bin]) --bin;
  if (bin < NXA_BINS - 1 && x >= edges[bin + 1]) ++bin;
  return bin;
}

NEXUS_PHASED_KERNEL(histogram_chunks, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_X *, x),
                    (NEXUS_GLOBAL const NXA_R *, edges), (NEXUS_GLOBAL nexus_uint32 *, counts),
                    (NXA_R, least), (NXA_R, most), (NXA_R, scale), (nexus_int32, n),
                    (nexus_int32, chunk), (NEXUS_LOCAL nexus_uint32, seen, NXA_LOCAL_BINS)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
#if NXA_LOCAL_BINS == NXA_BINS
  NEXUS_PHASE {
    for (int bin = nexus_local_id(0); bin < NXA_BINS; bin += GROUP) seen[bin] = 0u;
  }
  NEXUS_PHASE {
    for (int i = first + nexus_local_id(0); i < last; i += GROUP) {
      const int bin = bin_of((NXA_R)x[i], least, most, scale, edges);
      if (bin >= 0) ADD(&seen[bin]);
    }
  }
  NEXUS_STEP {
    for (int bin = nexus_local_id(0); bin < NXA_BINS; bin += GROUP) {
      counts[nexus_group_id(0) * NXA_BINS + bin] = seen[bin];
    }
  }
#else
  NEXUS_STEP {
    for (int i = first + nexus_local_id(0); i < last; i += GROUP) {
      const int bin = bin_of((NXA_R)x[i], least, most, scale, edges);
      if (bin >= 0) nexus_atomic_add(&counts[bin], 1u);
    }
  }
#endif
}

NEXUS_KERNEL_BOUNDED(histogram_sum, (NXA_BINS), (NEXUS_GLOBAL const nexus_uint32 *, counts),
                     (NEXUS_GLOBAL nexus_int64 *, out), (nexus_int32, groups)) {
  const int bin = nexus_global_id(0);
  nexus_int64 sum = 0;
  for (int group = 0; group < groups; ++group) sum += counts[group * NXA_BINS + bin];
  out[bin] = sum;
}
