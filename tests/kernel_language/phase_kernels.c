/* SPDX-License-Identifier: Apache-2.0 */
/* Phases and steps. Compiled as C and as C++. */
#include <nexus_kernel.h>

/* Inclusive prefix sums of each group of 64, by doubled distances. */
NEXUS_PHASED_KERNEL(prefix_groups, (64, 1, 1), (NEXUS_GLOBAL const int *, x),
                    (NEXUS_GLOBAL int *, y), (int, n), (NEXUS_LOCAL int, part, 64)) {
  NEXUS_PRIVATE(int, sum);
  NEXUS_PHASE {
    int i = nexus_global_id(0);
    part[nexus_local_id(0)] = i < n ? x[i] : 0;
  }
  for (int distance = 1; distance < 64; distance *= 2) {
    NEXUS_PHASE {
      int l = nexus_local_id(0);
      NEXUS_MINE(sum) = part[l] + (l >= distance ? part[l - distance] : 0);
    }
    NEXUS_PHASE {
      part[nexus_local_id(0)] = NEXUS_MINE(sum);
    }
  }
  NEXUS_STEP {
    int i = nexus_global_id(0);
    if (i < n) y[i] = NEXUS_MINE(sum);
  }
}

/* a of rows x inner times b of inner x columns, in tiles of 16 x 16. */
NEXUS_PHASED_KERNEL(multiply, (16, 16, 1), (NEXUS_GLOBAL const float *, a),
                    (NEXUS_GLOBAL const float *, b), (NEXUS_GLOBAL float *, c), (int, rows),
                    (int, inner), (int, columns), (NEXUS_LOCAL float, tile_a, 16 * 16),
                    (NEXUS_LOCAL float, tile_b, 16 * 16)) {
  NEXUS_PRIVATE(float, sum);
  NEXUS_STEP {
    NEXUS_MINE(sum) = 0.0f;
  }
  for (int first = 0; first < inner; first += 16) {
    NEXUS_PHASE {
      int x = nexus_local_id(0), y = nexus_local_id(1);
      int row = nexus_global_id(1), column = nexus_global_id(0);
      tile_a[y * 16 + x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0.0f;
      tile_b[y * 16 + x] =
          column < columns && first + y < inner ? b[(first + y) * columns + column] : 0.0f;
    }
    for (int k = 0; k < 16; ++k) {
      NEXUS_STEP {
        NEXUS_MINE(sum) += tile_a[nexus_local_id(1) * 16 + k] * tile_b[k * 16 + nexus_local_id(0)];
      }
    }
    NEXUS_PHASE {}
  }
  NEXUS_STEP {
    int row = nexus_global_id(1), column = nexus_global_id(0);
    if (row < rows && column < columns) c[row * columns + column] = NEXUS_MINE(sum);
  }
}

/* How many halvings until 1, of which 4 at most are looked at; turns: of the group's loop. */
NEXUS_PHASED_KERNEL(halvings, (8, 1, 1), (NEXUS_GLOBAL const int *, x), (NEXUS_GLOBAL int *, out),
                    (NEXUS_GLOBAL int *, turns), (int, n)) {
  NEXUS_PRIVATE(int, value);
  NEXUS_PRIVATE(int, count);
  int turn = 0;
  NEXUS_STEP {
    int i = nexus_global_id(0);
    NEXUS_MINE(value) = i < n ? x[i] : 1;
    NEXUS_MINE(count) = 0;
  }
  while (NEXUS_ANY(NEXUS_MINE(value) > 1)) {
    NEXUS_STEP {
      if (NEXUS_MINE(value) <= 1) continue;
      NEXUS_MINE(value) /= 2;
      NEXUS_MINE(count) += 1;
    }
    if (++turn == 4) break;
  }
  NEXUS_STEP {
    int i = nexus_global_id(0);
    if (i < n) out[i] = NEXUS_MINE(count);
    if (nexus_local_id(0) == 0) turns[nexus_group_id(0)] = turn;
  }
}

/* Values of the items in three dimensions: each gets that of the item opposite to it. */
NEXUS_PHASED_KERNEL(mirror, (5, 3, 2), (NEXUS_GLOBAL const int *, x), (NEXUS_GLOBAL int *, y),
                    (NEXUS_LOCAL int, box, 30)) {
  NEXUS_PRIVATE(int, linear);
  NEXUS_PHASE {
    NEXUS_MINE(linear) =
        (nexus_local_id(2) * 3 + nexus_local_id(1)) * nexus_group_size(0) + nexus_local_id(0);
    box[NEXUS_MINE(linear)] = x[nexus_group_id(0) * 30 + NEXUS_MINE(linear)];
  }
  NEXUS_STEP {
    y[nexus_group_id(0) * 30 + NEXUS_MINE(linear)] = box[29 - NEXUS_MINE(linear)];
  }
}

/* A value that is uniform, since it is read after the phase that wrote it. */
NEXUS_PHASED_KERNEL(subtract_last, (32), (NEXUS_GLOBAL int *, x), (NEXUS_LOCAL int, part, 32)) {
  NEXUS_PHASE {
    part[nexus_local_id(0)] = x[nexus_global_id(0)];
  }
  int last = part[31];
  if (last < 0) return;
  NEXUS_STEP {
    x[nexus_global_id(0)] -= last;
  }
}
