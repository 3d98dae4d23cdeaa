/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Radix sort, from the lowest digit: a pass sorts by one digit and keeps the order of equal ones.
 * `sort_count` counts the digits of each chunk; the running totals of the counts, by digit and then
 * by chunk, are where `sort_move` puts the chunk's keys. An item takes neighbouring keys, so that
 * it and the items before it tell the order.
 *
 *   NXA_K         an unsigned type of the keys' size; NXA_SIGN its highest bit
 *   NXA_KIND      'u' for unsigned keys, 'i' for signed ones, 'f' for floats, as bits
 *   NXA_INFINITY  the bits of the float infinity
 *   NXA_V         an unsigned type of the size of values that move with their keys
 *   NXA_VALUES    1 if there are such
 */
#if NXA_ON_CPU
#define GROUP 1
#define BITS 8
#else
#define GROUP 64
#define BITS 4
#endif
#define DIGITS (1 << BITS)

/* The key as a number that is ordered as the keys are; NaN last, and -0 beside 0. */
NEXUS_FUNCTION int digit_of(NXA_K key, nexus_int32 shift) {
#if NXA_KIND == 'i'
  key ^= NXA_SIGN;
#elif NXA_KIND == 'f'
  const NXA_K size = key & (NXA_K)~NXA_SIGN;
  if (size > NXA_INFINITY) {
    key = (NXA_K) ~(NXA_K)0;
  } else if (size == 0) {
    key = NXA_SIGN;
  } else {
    key = key & NXA_SIGN ? (NXA_K)~key : key | NXA_SIGN;
  }
#endif
  return (int)(key >> shift & (DIGITS - 1));
}

/* What the items take: [begin, end) of [first, last). */
#define RUN                                          \
  const int run = (chunk + GROUP - 1) / GROUP;       \
  const int begin = first + nexus_local_id(0) * run; \
  const int end = last - begin < run ? last : begin + run;

NEXUS_PHASED_KERNEL(sort_count, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL nexus_uint32 *, counts), (nexus_int32, n), (nexus_int32, chunk),
                    (nexus_int32, shift), (NEXUS_LOCAL nexus_uint32, seen, DIGITS *GROUP)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  NEXUS_PHASE {
    RUN const int l = nexus_local_id(0);
    for (int d = 0; d < DIGITS; ++d) seen[d * GROUP + l] = 0u;
    for (int i = begin; i < end; ++i) seen[digit_of(keys[i], shift) * GROUP + l] += 1u;
  }
  NEXUS_STEP {
    for (int d = nexus_local_id(0); d < DIGITS; d += GROUP) {
      nexus_uint32 count = 0u;
      for (int l = 0; l < GROUP; ++l) count += seen[d * GROUP + l];
      counts[d * nexus_group_count(0) + nexus_group_id(0)] = count;
    }
  }
}

NEXUS_PHASED_KERNEL(sort_move, (GROUP, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL NXA_K *, moved), (NEXUS_GLOBAL const NXA_V *, values),
                    (NEXUS_GLOBAL NXA_V *, moved_values),
                    (NEXUS_GLOBAL const nexus_uint32 *, places), (nexus_int32, n),
                    (nexus_int32, chunk), (nexus_int32, shift),
                    (NEXUS_LOCAL nexus_uint32, next, DIGITS *GROUP)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
#if GROUP > 1
  NEXUS_PHASE {
    RUN const int l = nexus_local_id(0);
    for (int d = 0; d < DIGITS; ++d) next[d * GROUP + l] = 0u;
    for (int i = begin; i < end; ++i) next[digit_of(keys[i], shift) * GROUP + l] += 1u;
  }
#endif
  NEXUS_PHASE {
    for (int d = nexus_local_id(0); d < DIGITS; d += GROUP) {
      nexus_uint32 place = places[d * nexus_group_count(0) + nexus_group_id(0)];
      for (int l = 0; l < GROUP; ++l) {
#if GROUP > 1
        const nexus_uint32 count = next[d * GROUP + l];
        next[d * GROUP + l] = place;
        place += count;
#else
        next[d] = place;
#endif
      }
    }
  }
  NEXUS_STEP {
    RUN for (int i = begin; i < end; ++i) {
      const NXA_K key = keys[i];
      const int d = digit_of(key, shift) * GROUP + nexus_local_id(0);
      const nexus_uint32 place = next[d];
      next[d] = place + 1u;
      moved[place] = key;
#if NXA_VALUES
      moved_values[place] = values[i];
#endif
    }
  }
}
