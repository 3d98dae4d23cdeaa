/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Radix sort, from the lowest digit of 8 bits: a pass sorts by one digit and keeps the order of
 * equal ones.
 *
 * On a CPU `sort_count` counts the digits of each chunk; the running totals of the counts, by digit
 * and then by chunk, are where `sort_move` puts the chunk's keys.
 *
 * On a GPU `sort_count` counts the digits of all passes at once, and `sort_move` reads and writes
 * each key once: a group sorts a tile in local memory, tells the others how many keys of each digit
 * it has, and adds up those of the tiles before it (decoupled look-back).
 *
 *   NXA_K         an unsigned type of the keys' size; NXA_SIGN its highest bit
 *   NXA_KIND      'u' for unsigned keys, 'i' for signed ones, 'f' for floats, as bits
 *   NXA_INFINITY  the bits of the float infinity
 *   NXA_V         an unsigned type of the size of values that move with their keys
 *   NXA_VALUES    1 if there are such
 *   NXA_W         the larger one of NXA_K and NXA_V
 *   NXA_PASSES    digits of a key
 *   NXA_GROUP, NXA_ITEMS   on a GPU, the work items of a group, and the keys of one; the latter is
 *                 odd, so that items which read their neighbouring keys meet different banks,
 *                 and at least 9
 */
#define DIGITS 256

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

#if NXA_ON_CPU

NEXUS_PHASED_KERNEL(sort_count, (1, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL nexus_uint32 *, counts), (nexus_int32, n), (nexus_int32, chunk),
                    (nexus_int32, shift), (NEXUS_LOCAL nexus_uint32, seen, DIGITS)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  NEXUS_STEP {
    for (int d = 0; d < DIGITS; ++d) seen[d] = 0u;
    for (int i = first; i < last; ++i) seen[digit_of(keys[i], shift)] += 1u;
    for (int d = 0; d < DIGITS; ++d) {
      counts[d * nexus_group_count(0) + nexus_group_id(0)] = seen[d];
    }
  }
}

/* Fetches the line after the one that is written: with 256 places in turn, the processor does not
 * see which is next. */
#if defined(__GNUC__)
#define AHEAD_OF(place) __builtin_prefetch((const char *)(place) + 64, 1)
#else
#define AHEAD_OF(place) (void)0
#endif

NEXUS_PHASED_KERNEL(sort_move, (1, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL NXA_K *, moved), (NEXUS_GLOBAL const NXA_V *, values),
                    (NEXUS_GLOBAL NXA_V *, moved_values),
                    (NEXUS_GLOBAL const nexus_uint32 *, places), (nexus_int32, n),
                    (nexus_int32, chunk), (nexus_int32, shift),
                    (NEXUS_LOCAL nexus_uint32, next, DIGITS)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  NEXUS_STEP {
    for (int d = 0; d < DIGITS; ++d) {
      next[d] = places[d * nexus_group_count(0) + nexus_group_id(0)];
    }
    for (int i = first; i < last; ++i) {
      const NXA_K key = keys[i];
      const nexus_uint32 place = next[digit_of(key, shift)]++;
      moved[place] = key;
      AHEAD_OF(&moved[place]);
#if NXA_VALUES
      moved_values[place] = values[i];
      AHEAD_OF(&moved_values[place]);
#endif
    }
  }
}

#else

#define TILE (NXA_GROUP * NXA_ITEMS)
#define EACH_KEY _Pragma("unroll") for (int j = 0; j < NXA_ITEMS; ++j)

/* Without this, the compiler takes more registers than three groups of a multiprocessor have. */
#if NEXUS_TARGET_CUDA && !NXA_VALUES && NXA_KIND != 'f'
#define AT_ONCE 3
#undef NXK_MAX_ITEMS
#define NXK_MAX_ITEMS(count) __launch_bounds__(count, AT_ONCE)
#endif

/* A key that no key is behind, for the end of the last tile. */
#if NXA_KIND == 'i'
#define LAST_KEY ((NXA_K)~NXA_SIGN)
#else
#define LAST_KEY ((NXA_K) ~(NXA_K)0)
#endif

/* What the launches share: the counts of all digits, the tiles that each pass has begun, and for
 * each tile and digit what look-back finds, of this pass and of the next one. */
#define COUNTS (NXA_PASSES * DIGITS)
#define TILES_OF(pass, tile, digit) \
  (COUNTS + DIGITS + ((int)((pass) & 1) * tiles + (tile)) * DIGITS + (digit))

/* Several counters of a digit: items of equal digits wait for each other less. */
#define COPIES (16 / NXA_PASSES)
#define AHEAD 8 /* keys that an item loads before it counts them */

NEXUS_PHASED_KERNEL(sort_count, (NXA_GROUP, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL nexus_uint32 *, shared), (nexus_int32, n), (nexus_int32, chunk),
                    (NEXUS_LOCAL nexus_uint32, seen, COUNTS *COPIES)) {
  const int first = nexus_group_id(0) * chunk;
  const int last = n - first < chunk ? n : first + chunk;
  NEXUS_PHASE {
    for (int at = nexus_local_id(0); at < COUNTS * COPIES; at += NXA_GROUP) seen[at] = 0u;
  }
  NEXUS_PHASE {
    for (int row = first + nexus_local_id(0); row < last; row += AHEAD * NXA_GROUP) {
      NXA_K key[AHEAD];
      _Pragma("unroll") for (int j = 0; j < AHEAD; ++j) {
        const int i = row + j * NXA_GROUP;
        key[j] = i < last ? keys[i] : LAST_KEY;
      }
      _Pragma("unroll") for (int j = 0; j < AHEAD; ++j) {
        if (row + j * NXA_GROUP < last) {
          _Pragma("unroll") for (int pass = 0; pass < NXA_PASSES; ++pass) {
            const int at = pass * DIGITS + digit_of(key[j], 8 * pass);
            nexus_atomic_add(&seen[at * COPIES + nexus_local_id(0) % COPIES], 1u);
          }
        }
      }
    }
  }
  NEXUS_STEP {
    for (int at = nexus_local_id(0); at < COUNTS; at += NXA_GROUP) {
      nexus_uint32 count = 0u;
      for (int copy = 0; copy < COPIES; ++copy) count += seen[at * COPIES + copy];
      if (count != 0u) nexus_atomic_add(&shared[at], count);
    }
  }
}

/* Replaces an item's value by the sum of the values of the items before it; total is the sum of
 * all. */
#define RUN 16
#define RUNS (NXA_GROUP / RUN)
#define AT(item) ((item) + (item) / RUN)
#define SUMS (NXA_GROUP + RUNS + RUNS)
#define SUM_BEFORE(value, total)                         \
  NEXUS_PHASE {                                          \
    sums[AT(nexus_local_id(0))] = value;                 \
  }                                                      \
  NEXUS_PHASE {                                          \
    const int l = nexus_local_id(0);                     \
    if (l < RUNS) {                                      \
      nexus_uint32 before = 0u;                          \
      _Pragma("unroll") for (int j = 0; j < RUN; ++j) {  \
        const nexus_uint32 mine = sums[AT(l * RUN) + j]; \
        sums[AT(l * RUN) + j] = before;                  \
        before += mine;                                  \
      }                                                  \
      sums[AT(NXA_GROUP) + l] = before;                  \
    }                                                    \
  }                                                      \
  NEXUS_STEP {                                           \
    const int l = nexus_local_id(0);                     \
    value = sums[AT(l)];                                 \
    total = 0u;                                          \
    _Pragma("unroll") for (int j = 0; j < RUNS; ++j) {   \
      const nexus_uint32 sum = sums[AT(NXA_GROUP) + j];  \
      if (j < l / RUN) value += sum;                     \
      total += sum;                                      \
    }                                                    \
  }

/*
 * Sets place to where each of the item's keys belongs in the tile, by four bits of the digit.
 *
 * A word counts an item's keys of two of the 16 values, those of d and d + 8, in its halves. The
 * words are added up first by value, then by item: an item adds nine words side by side, so that
 * items meet different banks, and the last ninth of the words counts nothing. The counters have the
 * memory of the keys, which are in registers meanwhile.
 */
#define WORDS 8
#define STRIDE (WORDS + 1)
#define WORD(d) counters[((d) & (WORDS - 1)) * NXA_GROUP + nexus_local_id(0)]
#define HALF(d) (((d) & WORDS) * 2)
#define RANK(bit)                                                         \
  NEXUS_PHASE {}                                                          \
  NEXUS_PHASE {                                                           \
    _Pragma("unroll") for (int j = 0; j < STRIDE; ++j) {                  \
      counters[j * NXA_GROUP + nexus_local_id(0)] = 0u;                   \
    }                                                                     \
    EACH_KEY {                                                            \
      const int d = digit_of(key[j], 8 * pass + (bit));                   \
      const nexus_uint32 counted = WORD(d);                               \
      place[j] = counted >> HALF(d) & 0xffffu;                            \
      WORD(d) = counted + (1u << HALF(d));                                \
    }                                                                     \
  }                                                                       \
  NEXUS_STEP {                                                            \
    before = 0u;                                                          \
    _Pragma("unroll") for (int j = 0; j < STRIDE; ++j) {                  \
      before += counters[nexus_local_id(0) * STRIDE + j];                 \
    }                                                                     \
  }                                                                       \
  SUM_BEFORE(before, total)                                               \
  NEXUS_PHASE {                                                           \
    before += total << 16;                                                \
    _Pragma("unroll") for (int j = 0; j < STRIDE; ++j) {                  \
      const nexus_uint32 mine = counters[nexus_local_id(0) * STRIDE + j]; \
      counters[nexus_local_id(0) * STRIDE + j] = before;                  \
      before += mine;                                                     \
    }                                                                     \
  }                                                                       \
  NEXUS_PHASE {                                                           \
    EACH_KEY {                                                            \
      const int d = digit_of(key[j], 8 * pass + (bit));                   \
      place[j] += WORD(d) >> HALF(d) & 0xffffu;                           \
    }                                                                     \
  }

/* The state that another group has published. */
#if NEXUS_TARGET_CUDA || NEXUS_TARGET_HIP
#define TOLD(index) (*(volatile nexus_uint32 *)&shared[index])
#else
#define TOLD(index) nexus_atomic_add(&shared[index], 0u)
#endif
#define TELL(index, value) nexus_atomic_exchange(&shared[index], value)
#define COMPLETE 0x80000000u

NEXUS_PHASED_KERNEL(sort_move, (NXA_GROUP, 1, 1), (NEXUS_GLOBAL const NXA_K *, keys),
                    (NEXUS_GLOBAL NXA_K *, moved), (NEXUS_GLOBAL const NXA_V *, values),
                    (NEXUS_GLOBAL NXA_V *, moved_values), (NEXUS_GLOBAL nexus_uint32 *, shared),
                    (nexus_int32, n), (nexus_int32, pass), (NEXUS_LOCAL NXA_W, room, TILE),
                    (NEXUS_LOCAL nexus_uint32, sums, SUMS),
                    (NEXUS_LOCAL nexus_uint32, begin, DIGITS),
                    (NEXUS_LOCAL nexus_uint32, end, DIGITS)) {
  const int tiles = nexus_group_count(0);
  NEXUS_LOCAL nexus_uint32 *counters = (NEXUS_LOCAL nexus_uint32 *)room;
  NXA_K key[NXA_ITEMS];
#if NXA_VALUES
  NXA_V held[NXA_ITEMS];
#endif
  nexus_uint32 place[NXA_ITEMS];
  nexus_uint32 before, total;

  /* Tiles are taken in order, so those before this one are in work or done. */
  NEXUS_PHASE {
    const int l = nexus_local_id(0);
    if (l == 0) sums[0] = nexus_atomic_add(&shared[COUNTS + pass], 1u);
    if (l < DIGITS) begin[l] = end[l] = 0u;
  }
  const int tile = (int)sums[0];
  const int first = tile * TILE;
  NEXUS_PHASE {
    EACH_KEY {
      const int e = j * NXA_GROUP + nexus_local_id(0);
      room[e] = first + e < n ? keys[first + e] : LAST_KEY;
    }
  }
  NEXUS_STEP {
    EACH_KEY key[j] = (NXA_K)room[nexus_local_id(0) * NXA_ITEMS + j];
  }
#if NXA_VALUES
  NEXUS_PHASE {}
  NEXUS_PHASE {
    EACH_KEY {
      const int e = j * NXA_GROUP + nexus_local_id(0);
      if (first + e < n) room[e] = values[first + e];
    }
  }
  NEXUS_STEP {
    EACH_KEY held[j] = (NXA_V)room[nexus_local_id(0) * NXA_ITEMS + j];
  }
#endif

  RANK(0)
  NEXUS_PHASE {
    EACH_KEY room[place[j]] = key[j];
  }
  NEXUS_STEP {
    EACH_KEY key[j] = (NXA_K)room[nexus_local_id(0) * NXA_ITEMS + j];
  }
#if NXA_VALUES
  NEXUS_PHASE {}
  NEXUS_PHASE {
    EACH_KEY room[place[j]] = held[j];
  }
  NEXUS_STEP {
    EACH_KEY held[j] = (NXA_V)room[nexus_local_id(0) * NXA_ITEMS + j];
  }
#endif
  RANK(4)
  NEXUS_PHASE {
    EACH_KEY room[place[j]] = key[j];
  }

  /* The keys of a digit are side by side now. */
  NEXUS_PHASE {
    EACH_KEY {
      const int e = j * NXA_GROUP + nexus_local_id(0);
      key[j] = (NXA_K)room[e];
      const int d = digit_of(key[j], 8 * pass);
      const int last = e > 0 ? digit_of((NXA_K)room[e - 1], 8 * pass) : -1;
      if (d != last) {
        begin[d] = (nexus_uint32)e;
        if (last >= 0) end[last] = (nexus_uint32)e;
      }
      if (e == TILE - 1) end[d] = TILE;
    }
  }

  /* A tile first publishes its own count of a digit, plus 1, and then, as COMPLETE, where the
   * next tile's keys with this digit go. */
  if (tile == 0) {
    NEXUS_STEP {
      const int l = nexus_local_id(0);
      before = l < DIGITS ? shared[(int)pass * DIGITS + l] : 0u;
    }
    SUM_BEFORE(before, total)
  }
  NEXUS_PHASE {
    const int l = nexus_local_id(0);
    if (l < DIGITS) {
      const nexus_uint32 count = end[l] - begin[l];
      if (tile > 0) {
        nexus_uint32 told = 0u;
        TELL(TILES_OF(pass, tile, l), count + 1u);
        before = 0u;
        for (int at = tile - 1; told < COMPLETE; --at) {
          do told = TOLD(TILES_OF(pass, at, l));
          while (told == 0u);
          before += told < COMPLETE ? told - 1u : told - COMPLETE;
        }
      }
      TELL(TILES_OF(pass, tile, l), COMPLETE + before + count);
      shared[TILES_OF(pass + 1, tile, l)] = 0u;
      begin[l] = before - begin[l];
    }
  }
  NEXUS_PHASE {
    EACH_KEY {
      const nexus_uint32 e = (nexus_uint32)(j * NXA_GROUP + nexus_local_id(0));
      const nexus_uint32 to = begin[digit_of(key[j], 8 * pass)] + e;
      if (first + (int)e < n) moved[to] = key[j];
#if NXA_VALUES
      room[place[j]] = held[j];
      place[j] = to;
#endif
    }
  }
#if NXA_VALUES
  NEXUS_STEP {
    EACH_KEY {
      const int e = j * NXA_GROUP + nexus_local_id(0);
      if (first + e < n) moved_values[place[j]] = (NXA_V)room[e];
    }
  }
#endif
}
#endif
