/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Philox4x64-10: ten rounds turn a counter of 256 bits and a key of 128 into four random numbers of
 * 64 bits, the same as those of numpy.random.Philox. An item makes those of one counter.
 *
 *   NXA_T        the type of the results
 *   NXA_COUNT    results of one counter: 4 of 64 bits, 8 of 32
 *   NXA_MAKE(x)  a result of the next 64 or 32 bits
 */

/* Both halves of a product. */
#if NEXUS_TARGET_CPU && defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 product;
#define MULTIPLY(a, b, upper, lower)                                  \
  const product upper##_and_lower = (product)(a) * (b);               \
  const nexus_uint64 upper = (nexus_uint64)(upper##_and_lower >> 64); \
  const nexus_uint64 lower = (nexus_uint64)upper##_and_lower;
#else
NEXUS_FUNCTION nexus_uint64 upper_half(nexus_uint64 a, nexus_uint64 b) {
  const nexus_uint64 mask = 0xffffffffu;
  const nexus_uint64 low = (a & mask) * (b & mask);
  const nexus_uint64 left = (a >> 32) * (b & mask), right = (a & mask) * (b >> 32);
  const nexus_uint64 middle = (low >> 32) + (left & mask) + (right & mask);
  return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
}
#define MULTIPLY(a, b, upper, lower)           \
  const nexus_uint64 upper = upper_half(a, b); \
  const nexus_uint64 lower = (a) * (b);
#endif

#if NXA_COUNT == 8
#define STORE(at, word)                 \
  PUT(2 * (at), ((nexus_uint32)(word))) \
  PUT(2 * (at) + 1, ((nexus_uint32)((word) >> 32)))
#else
#define STORE(at, word) PUT(at, word)
#endif

NEXUS_KERNEL_BOUNDED(philox, (counters), (nexus_uint64, key0), (nexus_uint64, key1),
                     (nexus_uint64, counter0), (nexus_uint64, counter1), (nexus_uint64, counter2),
                     (nexus_uint64, counter3), (NEXUS_GLOBAL NXA_T *, out), (nexus_int32, n),
                     (nexus_int32, counters)) {
  const int item = nexus_global_id(0);
  nexus_uint64 c0 = counter0 + (nexus_uint64)item;
  nexus_uint64 c1 = counter1 + (c0 < counter0);
  nexus_uint64 c2 = counter2 + (c1 < counter1);
  nexus_uint64 c3 = counter3 + (c2 < counter2);
  nexus_uint64 k0 = key0, k1 = key1;
  for (int turn = 0; turn < 10; ++turn) {
    const nexus_uint64 first = NXA_U64(0xd2e7470eu, 0xe14c6c93u),
                       second = NXA_U64(0xca5a8263u, 0x95121157u);
    MULTIPLY(first, c0, upper0, lower0)
    MULTIPLY(second, c2, upper1, lower1)
    c0 = upper1 ^ c1 ^ k0;
    c1 = lower1;
    c2 = upper0 ^ c3 ^ k1;
    c3 = lower0;
    k0 += NXA_U64(0x9e3779b9u, 0x7f4a7c15u);
    k1 += NXA_U64(0xbb67ae85u, 0x84caa73bu);
  }
  const int i = item * NXA_COUNT;
  if (n - i >= NXA_COUNT) {
#define PUT(j, x) out[i + (j)] = NXA_MAKE(x);
    STORE(0, c0) STORE(1, c1) STORE(2, c2) STORE(3, c3)
#undef PUT
  } else {
#define PUT(j, x) \
  if ((j) < n - i) out[i + (j)] = NXA_MAKE(x);
    STORE(0, c0) STORE(1, c1) STORE(2, c2) STORE(3, c3)
#undef PUT
  }
}
