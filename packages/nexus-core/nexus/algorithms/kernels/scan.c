/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running totals: out[i] is one value of the elements up to i, or of those before i. In two
 * launches: `scan_totals` makes one value of each chunk, and `scan_chunks` joins those before its
 * chunk to a carry, and scans the chunk tile by tile. On a GPU an item scans RUN neighbours of a
 * tile.
 *
 * With segments, a value starts anew at each start. Of a chunk, and of the chunks before one, only
 * what follows the last start counts.
 *
 *   NXA_T, NXA_X, NXA_F   the types of the results, the elements and the starts
 *   NXA_COMBINE           one value of the values v_a and v_b
 *   NXA_ELEMENT(i)        element i, made of p_x[i]
 *   NXA_START(i)          whether a segment starts at i, by p_f[i]; 0 without segments
 *   NXA_SEGMENTED, NXA_EXCLUSIVE   1 or 0
 */
#define LANES 256
#define GROUP 128
#define RUN 8
#define TILE (GROUP * RUN)

NEXUS_FUNCTION NXA_T combine(NXA_T v_a, NXA_T v_b) {
  return NXA_COMBINE;
}

/* Sets part[0] to the value of those from first to last that follow the last start, if there is
 * one, and place[0] to that one's index, else to first - 1. */
#define TOTAL(lanes, element, start, first, last)                                  \
  NEXUS_STEP {                                                                     \
    NEXUS_MINE(value) = identity;                                                  \
    NEXUS_MINE(from) = (first) - 1;                                                \
  }                                                                                \
  if (NXA_SEGMENTED) {                                                             \
    for (int row = first; row < (last); row += (lanes)) {                          \
      NEXUS_STEP {                                                                 \
        const int i = row + nexus_local_id(0);                                     \
        if (i < (last) && start(i)) NEXUS_MINE(from) = i;                          \
      }                                                                            \
    }                                                                              \
  }                                                                                \
  NEXUS_PHASE {                                                                    \
    place[nexus_local_id(0)] = NEXUS_MINE(from);                                   \
  }                                                                                \
  if (NXA_SEGMENTED) {                                                             \
    for (int width = (lanes) / 2; width > 0; width /= 2) {                         \
      NEXUS_PHASE {                                                                \
        const int l = nexus_local_id(0);                                           \
        if (l < width && place[l + width] > place[l]) place[l] = place[l + width]; \
      }                                                                            \
    }                                                                              \
  }                                                                                \
  for (int row = first; row < (last); row += (lanes)) {                            \
    if (!NXA_SEGMENTED && (last) - row >= (lanes)) {                               \
      NEXUS_STEP {                                                                 \
        const int i = row + nexus_local_id(0);                                     \
        NEXUS_MINE(value) = combine(NEXUS_MINE(value), element(i));                \
      }                                                                            \
    } else {                                                                       \
      NEXUS_STEP {                                                                 \
        const int i = row + nexus_local_id(0);                                     \
        if (i < (last) && i >= place[0]) {                                         \
          NEXUS_MINE(value) = combine(NEXUS_MINE(value), element(i));              \
        }                                                                          \
      }                                                                            \
    }                                                                              \
  }                                                                                \
  NEXUS_PHASE {                                                                    \
    part[nexus_local_id(0)] = NEXUS_MINE(value);                                   \
  }                                                                                \
  for (int width = (lanes) / 2; width > 0; width /= 2) {                           \
    NEXUS_PHASE {                                                                  \
      const int l = nexus_local_id(0);                                             \
      if (l < width) part[l] = combine(part[l], part[l + width]);                  \
    }                                                                              \
  }

NEXUS_PHASED_KERNEL(scan_totals, (LANES, 1, 1), (NEXUS_GLOBAL const NXA_X *, p_x),
                    (NEXUS_GLOBAL const NXA_F *, p_f), (NEXUS_GLOBAL NXA_T *, totals),
                    (NEXUS_GLOBAL nexus_int32 *, starts), (NXA_T, identity), (nexus_int32, n),
                    (nexus_int32, chunk), (NEXUS_LOCAL NXA_T, part, LANES),
                    (NEXUS_LOCAL nexus_int32, place, LANES)) {
  NEXUS_PRIVATE(NXA_T, value);
  NEXUS_PRIVATE(nexus_int32, from);
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  TOTAL(LANES, NXA_ELEMENT, NXA_START, first, last)
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) {
      totals[nexus_group_id(0)] = part[0];
      starts[nexus_group_id(0)] = place[0] >= first;
    }
  }
}

#if NXA_ON_CPU

/* Scans each tile from its first element and adds the carry: sums of many floats stay precise. */
NEXUS_PHASED_KERNEL(scan_chunks, (1, 1, 1), (NEXUS_GLOBAL const NXA_X *, p_x),
                    (NEXUS_GLOBAL const NXA_F *, p_f), (NEXUS_GLOBAL const NXA_T *, totals),
                    (NEXUS_GLOBAL const nexus_int32 *, starts), (NXA_T, identity),
                    (NEXUS_GLOBAL NXA_T *, out), (nexus_int32, n), (nexus_int32, chunk)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  NEXUS_STEP {
    NXA_T carry = identity;
    for (int g = 0; g < nexus_group_id(0); ++g) {
      carry = starts[g] ? totals[g] : combine(carry, totals[g]);
    }
    for (int tile = first; tile < last; tile += TILE) {
      const int end = last - tile < TILE ? last : tile + TILE;
      NXA_T within = identity;
      for (int i = tile; i < end; ++i) {
        const NXA_T x = NXA_ELEMENT(i);
#if NXA_SEGMENTED
        if (NXA_START(i)) carry = within = identity;
#endif
#if NXA_EXCLUSIVE
        out[i] = combine(carry, within);
        within = combine(within, x);
#else
        within = combine(within, x);
        out[i] = combine(carry, within);
#endif
      }
      carry = combine(carry, within);
    }
  }
}

#else

#define CHUNK_TOTAL(i) totals[i]
#define CHUNK_START(i) starts[i]
#define RUN_OF(j, l) (((j) * GROUP + (l)) / RUN)

NEXUS_PHASED_KERNEL(scan_chunks, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_X *, p_x),
                    (NEXUS_GLOBAL const NXA_F *, p_f), (NEXUS_GLOBAL const NXA_T *, totals),
                    (NEXUS_GLOBAL const nexus_int32 *, starts), (NXA_T, identity),
                    (NEXUS_GLOBAL NXA_T *, out), (nexus_int32, n), (nexus_int32, chunk),
                    (NEXUS_LOCAL NXA_T, values, TILE),
                    (NEXUS_LOCAL nexus_uint8, started, NXA_SEGMENTED *TILE + 1),
                    (NEXUS_LOCAL NXA_T, part, GROUP), (NEXUS_LOCAL NXA_T, before, GROUP),
                    (NEXUS_LOCAL nexus_int32, place, GROUP)) {
  NEXUS_PRIVATE(NXA_T, value);
  NEXUS_PRIVATE(NXA_T, carry);
  NEXUS_PRIVATE(nexus_int32, from);
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  TOTAL(GROUP, CHUNK_TOTAL, CHUNK_START, 0, nexus_group_id(0))
  NEXUS_PHASE {
    NEXUS_MINE(carry) = part[0];
  }
  for (int tile = first; tile < last; tile += TILE) {
    for (int j = 0; j < RUN; ++j) {
      NEXUS_STEP {
        const int e = j * GROUP + nexus_local_id(0), i = tile + e;
        values[e] = i < last ? NXA_ELEMENT(i) : identity;
#if NXA_SEGMENTED
        started[e] = i < last && NXA_START(i);
#endif
      }
    }
    NEXUS_PHASE {
      NEXUS_MINE(value) = identity;
      NEXUS_MINE(from) = 0;
    }
    for (int j = 0; j < RUN; ++j) {
      NEXUS_STEP {
        const int e = nexus_local_id(0) * RUN + j;
#if NXA_SEGMENTED
        if (started[e]) {
          NEXUS_MINE(value) = identity;
          NEXUS_MINE(from) = 1;
        }
        started[e] = NEXUS_MINE(from);
#endif
        NEXUS_MINE(value) = combine(NEXUS_MINE(value), values[e]);
        values[e] = NEXUS_MINE(value);
      }
    }
    NEXUS_PHASE {
      part[nexus_local_id(0)] = NEXUS_MINE(value);
      place[nexus_local_id(0)] = NEXUS_MINE(from);
    }
    for (int distance = 1; distance < GROUP; distance *= 2) {
      NEXUS_PHASE {
        const int l = nexus_local_id(0);
        if (l >= distance) {
          if (!NEXUS_MINE(from)) NEXUS_MINE(value) = combine(part[l - distance], NEXUS_MINE(value));
          NEXUS_MINE(from) |= place[l - distance];
        }
      }
      NEXUS_PHASE {
        part[nexus_local_id(0)] = NEXUS_MINE(value);
        place[nexus_local_id(0)] = NEXUS_MINE(from);
      }
    }
    NEXUS_PHASE {
      const int l = nexus_local_id(0), p = l > 0 ? l - 1 : 0;
      before[l] = l == 0     ? NEXUS_MINE(carry)
                  : place[p] ? part[p]
                             : combine(NEXUS_MINE(carry), part[p]);
      NEXUS_MINE(carry) =
          place[GROUP - 1] ? part[GROUP - 1] : combine(NEXUS_MINE(carry), part[GROUP - 1]);
    }
    for (int j = 0; j < RUN; ++j) {
      NEXUS_STEP {
        const int l = nexus_local_id(0), e = j * GROUP + l, i = tile + e;
#if NXA_EXCLUSIVE
        const int at = e % RUN == 0 ? e : e - 1;
#else
        const int at = e;
#endif
        NXA_T made = combine(before[RUN_OF(j, l)], values[at]);
#if NXA_SEGMENTED
        if (started[at]) made = values[at];
#endif
#if NXA_EXCLUSIVE
        if (e % RUN == 0) made = before[RUN_OF(j, l)];
#if NXA_SEGMENTED
        if (i < last && NXA_START(i)) made = identity;
#endif
#endif
        if (i < last) out[i] = made;
      }
    }
    NEXUS_PHASE {}
  }
}

#endif
