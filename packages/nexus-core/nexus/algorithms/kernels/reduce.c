/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value of many, in two launches: `reduce_chunks` makes one of each chunk, `reduce_rest` one of
 * those. An item takes every GROUPth element of its chunk, so that the group reads row after
 * row; a tree joins the items.
 *
 *   NXA_T            the type of the values
 *   NXA_COMBINE      one value of the values v_a and v_b
 *   NXA_INPUTS       the parameters of which the elements are made
 *   NXA_ELEMENT(i)   element i
 */

NEXUS_FUNCTION NXA_T combine(NXA_T v_a, NXA_T v_b) {
  return NXA_COMBINE;
}

/* The value of AHEAD elements, a row apart. On a GPU their loads don't wait for each other; a CPU
 * reads ahead by itself if rows follow each other. */
#if NXA_ON_CPU
#define GROUP 64 /* values that stay in the registers */
#define AHEAD 1
#define NEXT(element, i) element(i)
#else
#define GROUP 256
#define AHEAD 8
#define TWO(element, i) combine(element(i), element((i) + GROUP))
#define FOUR(element, i) combine(TWO(element, i), TWO(element, (i) + 2 * GROUP))
#define NEXT(element, i) combine(FOUR(element, i), FOUR(element, (i) + 4 * GROUP))
#endif

/* From first to last; an item beyond them has no value, and the tree does not look at it. */
#define REDUCE(element)                                                         \
  int row = first + GROUP;                                                      \
  NEXUS_STEP {                                                                  \
    const int i = first + nexus_local_id(0);                                    \
    NEXUS_MINE(value) = 0;                                                      \
    if (i < last) NEXUS_MINE(value) = element(i);                               \
  }                                                                             \
  for (; last - row >= AHEAD * GROUP; row += AHEAD * GROUP) {                   \
    NEXUS_STEP {                                                                \
      const int i = row + nexus_local_id(0);                                    \
      NEXUS_MINE(value) = combine(NEXUS_MINE(value), NEXT(element, i));         \
    }                                                                           \
  }                                                                             \
  for (; row < last; row += GROUP) {                                            \
    NEXUS_STEP {                                                                \
      const int i = row + nexus_local_id(0);                                    \
      if (i < last) NEXUS_MINE(value) = combine(NEXUS_MINE(value), element(i)); \
    }                                                                           \
  }                                                                             \
  NEXUS_PHASE {                                                                 \
    part[nexus_local_id(0)] = NEXUS_MINE(value);                                \
  }                                                                             \
  for (int width = GROUP / 2; width > 0; width /= 2) {                          \
    NEXUS_PHASE {                                                               \
      const int l = nexus_local_id(0);                                          \
      if (l < width && first + l + width < last) {                              \
        part[l] = combine(part[l], part[l + width]);                            \
      }                                                                         \
    }                                                                           \
  }

#define PARTIAL(i) partials[i]

NEXUS_PHASED_KERNEL(reduce_rest, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_T *, partials),
                    (NXA_T, initial), (nexus_int32, has_initial), (NEXUS_GLOBAL NXA_T *, out),
                    (nexus_int32, n), (NEXUS_LOCAL NXA_T, part, GROUP)) {
  NEXUS_PRIVATE(NXA_T, value);
  const int first = 0, last = n;
  REDUCE(PARTIAL)
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) {
      out[0] = !has_initial ? part[0] : n == 0 ? initial : combine(initial, part[0]);
    }
  }
}

#if defined(NXA_INPUTS)
NEXUS_PHASED_KERNEL(reduce_chunks, (GROUP, 1, 1), NXA_INPUTS, (NEXUS_GLOBAL NXA_T *, partials),
                    (nexus_int32, n), (nexus_int32, chunk), (NEXUS_LOCAL NXA_T, part, GROUP)) {
  NEXUS_PRIVATE(NXA_T, value);
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  REDUCE(NXA_ELEMENT)
  NEXUS_STEP {
    if (nexus_local_id(0) == 0) partials[nexus_group_id(0)] = part[0];
  }
}
#endif
