/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Philox4x64-10: ten rounds turn a counter of 256 bits and a key of 128 into four random numbers of
 * 64 bits, the same as those of numpy.random.Philox. An item makes those of one counter. On a CPU
 * they go through the group's memory, so that vectors of counters and vectors of results are both
 * made of neighbours.
 *
 *   NXA_T        the type of the results
 *   NXA_COUNT    results of one counter: 4 of 64 bits, 8 of 32
 *   NXA_MAKE(x)  a result of the next 64 or 32 bits
 *   NXA_GROUP    the items of a group, on a CPU
 */
NEXUS_FUNCTION nexus_uint64 upper_half(nexus_uint64 a, nexus_uint64 b) {
  const nexus_uint64 mask = 0xffffffffu;
  const nexus_uint64 low = (a & mask) * (b & mask);
  const nexus_uint64 left = (a >> 32) * (b & mask), right = (a & mask) * (b >> 32);
  const nexus_uint64 middle = (low >> 32) + (left & mask) + right;
  return (a >> 32) * (b >> 32) + (left >> 32) + (middle >> 32);
}

#define FIRST NXA_U64(0xd2e7470eu, 0xe14c6c93u)
#define SECOND NXA_U64(0xca5a8263u, 0x95121157u)
#define ROUND(number)                                                         \
  {                                                                           \
    const nexus_uint64 upper0 = upper_half(FIRST, c0), lower0 = FIRST * c0;   \
    const nexus_uint64 upper1 = upper_half(SECOND, c2), lower1 = SECOND * c2; \
    c0 = upper1 ^ c1 ^ (key0 + number * NXA_U64(0x9e3779b9u, 0x7f4a7c15u));   \
    c1 = lower1;                                                              \
    c2 = upper0 ^ c3 ^ (key1 + number * NXA_U64(0xbb67ae85u, 0x84caa73bu));   \
    c3 = lower0;                                                              \
  }
#define NUMBERS_OF(item)                             \
  nexus_uint64 c0 = counter0 + (nexus_uint64)(item); \
  nexus_uint64 c1 = counter1 + (c0 < counter0);      \
  nexus_uint64 c2 = counter2 + (c1 < counter1);      \
  nexus_uint64 c3 = counter3 + (c2 < counter2);      \
  ROUND(0) ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5) ROUND(6) ROUND(7) ROUND(8) ROUND(9)

/* Puts the results of word number `at` to their places, if there are such. */
#if NXA_COUNT == 8
#define STORE(at, word, all)                                                 \
  if ((all) || 2 * (at) < n) out[2 * (at)] = NXA_MAKE((nexus_uint32)(word)); \
  if ((all) || 2 * (at) + 1 < n) out[2 * (at) + 1] = NXA_MAKE((nexus_uint32)((word) >> 32));
#else
#define STORE(at, word, all) \
  if ((all) || (at) < n) out[at] = NXA_MAKE(word);
#endif

#define PARAMETERS                                                                                \
  (nexus_uint64, key0), (nexus_uint64, key1), (nexus_uint64, counter0), (nexus_uint64, counter1), \
      (nexus_uint64, counter2), (nexus_uint64, counter3), (NEXUS_GLOBAL NXA_T *, out),            \
      (nexus_int32, n)

#if NXA_ON_CPU
NEXUS_PHASED_KERNEL(philox, (NXA_GROUP, 1, 1), PARAMETERS,
                    (NEXUS_LOCAL nexus_uint64, words, 4 * NXA_GROUP)) {
  const int first = nexus_group_id(0) * NXA_GROUP * NXA_COUNT;
  NEXUS_PHASE {
    NUMBERS_OF(nexus_global_id(0))
    words[4 * nexus_local_id(0)] = c0;
    words[4 * nexus_local_id(0) + 1] = c1;
    words[4 * nexus_local_id(0) + 2] = c2;
    words[4 * nexus_local_id(0) + 3] = c3;
  }
  for (int part = 0; part < 4; ++part) {
    if (n - first >= NXA_GROUP * NXA_COUNT) {
      NEXUS_STEP {
        const int at = part * NXA_GROUP + nexus_local_id(0);
        STORE(first / (NXA_COUNT / 4) + at, words[at], 1)
      }
    } else {
      NEXUS_STEP {
        const int at = part * NXA_GROUP + nexus_local_id(0);
        STORE(first / (NXA_COUNT / 4) + at, words[at], 0)
      }
    }
  }
}
#else
NEXUS_KERNEL(philox, PARAMETERS) {
  const int at = 4 * nexus_global_id(0);
  NUMBERS_OF(nexus_global_id(0))
  STORE(at, c0, 0) STORE(at + 1, c1, 0) STORE(at + 2, c2, 0) STORE(at + 3, c3, 0)
}
#endif
