/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of the first value that comes before all others, in two launches as in reduce.c.
 *
 *   NXA_T              the type of the values
 *   NXA_BEFORE(a, b)   whether a comes before b
 */
#define GROUP 256

/* Over the values in ascending order of their indices; index(i) is the index of value i. */
#define FIND(values, index)                                                                \
  NEXUS_STEP {                                                                             \
    const int i = first + nexus_local_id(0);                                               \
    const int at = i < last ? i : first;                                                   \
    NEXUS_MINE(value) = values[at];                                                        \
    NEXUS_MINE(found) = index(at);                                                         \
  }                                                                                        \
  for (int row = first + GROUP; last - row >= GROUP; row += GROUP) {                       \
    NEXUS_STEP {                                                                           \
      const int i = row + nexus_local_id(0);                                               \
      const int better = NXA_BEFORE(values[i], NEXUS_MINE(value));                         \
      NEXUS_MINE(value) = better ? values[i] : NEXUS_MINE(value);                          \
      NEXUS_MINE(found) = better ? index(i) : NEXUS_MINE(found);                           \
    }                                                                                      \
  }                                                                                        \
  NEXUS_PHASE {                                                                            \
    const int i = last - (last - first) % GROUP + nexus_local_id(0);                       \
    const int l = nexus_local_id(0);                                                       \
    if (last - first > GROUP && i < last && NXA_BEFORE(values[i], NEXUS_MINE(value))) {    \
      NEXUS_MINE(value) = values[i];                                                       \
      NEXUS_MINE(found) = index(i);                                                        \
    }                                                                                      \
    part[l] = NEXUS_MINE(value);                                                           \
    place[l] = NEXUS_MINE(found);                                                          \
  }                                                                                        \
  for (int width = GROUP / 2; width > 0; width /= 2) {                                     \
    NEXUS_PHASE {                                                                          \
      const int l = nexus_local_id(0), other = l + width;                                  \
      if (l < width && (NXA_BEFORE(part[other], part[l]) ||                                \
                        (!NXA_BEFORE(part[l], part[other]) && place[other] < place[l]))) { \
        part[l] = part[other];                                                             \
        place[l] = place[other];                                                           \
      }                                                                                    \
    }                                                                                      \
  }

#define ITSELF(i) (i)
#define NAMED(i) indices[i]

NEXUS_PHASED_KERNEL(index_chunks, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_T *, x),
                    (NEXUS_GLOBAL NXA_T *, best), (NEXUS_GLOBAL nexus_int32 *, indices),
                    (nexus_int32, n), (nexus_int32, chunk), (NEXUS_LOCAL NXA_T, part, GROUP),
                    (NEXUS_LOCAL nexus_int32, place, GROUP)) {
  NEXUS_PRIVATE(NXA_T, value);
  NEXUS_PRIVATE(nexus_int32, found);
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  FIND(x, ITSELF)
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) {
      best[nexus_group_id(0)] = part[0];
      indices[nexus_group_id(0)] = place[0];
    }
  }
}

NEXUS_PHASED_KERNEL(index_rest, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_T *, best),
                    (NEXUS_GLOBAL const nexus_int32 *, indices), (NEXUS_GLOBAL nexus_int64 *, out),
                    (nexus_int32, n), (NEXUS_LOCAL NXA_T, part, GROUP),
                    (NEXUS_LOCAL nexus_int32, place, GROUP)) {
  NEXUS_PRIVATE(NXA_T, value);
  NEXUS_PRIVATE(nexus_int32, found);
  const int first = 0, last = n;
  FIND(best, NAMED)
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) out[0] = place[0];
  }
}
