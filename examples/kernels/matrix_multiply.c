/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a * b, of m x k and k x n values, each row after the other. A group of 16 x 16 items makes a
 * tile of c. It copies a tile of a and one of b to local memory at a time, so that each value is
 * read from global memory once in 16 uses.
 */
#include <nexus_kernel.h>

#define TILE 16
#define AREA (TILE * TILE)

NEXUS_PHASED_KERNEL(matrix_multiply, (TILE, TILE, 1), (NEXUS_GLOBAL const float *, a),
                    (NEXUS_GLOBAL const float *, b), (NEXUS_GLOBAL float *, c), (int, m), (int, n),
                    (int, k), (NEXUS_LOCAL float, tile_a, AREA),
                    (NEXUS_LOCAL float, tile_b, AREA)) {
  NEXUS_PRIVATE(float, sum);
  NEXUS_STEP {
    NEXUS_MINE(sum) = 0.0f;
  }
  for (int first = 0; first < k; first += TILE) {
    NEXUS_PHASE {
      int x = nexus_local_id(0), y = nexus_local_id(1);
      int row = nexus_global_id(1), column = nexus_global_id(0);
      tile_a[y * TILE + x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
      tile_b[y * TILE + x] = column < n && first + y < k ? b[(first + y) * n + column] : 0.0f;
    }
    NEXUS_PHASE {
      int x = nexus_local_id(0), y = nexus_local_id(1);
      float part = NEXUS_MINE(sum);
      for (int i = 0; i < TILE; ++i) part += tile_a[y * TILE + i] * tile_b[i * TILE + x];
      NEXUS_MINE(sum) = part;
    }
  }
  NEXUS_STEP {
    int row = nexus_global_id(1), column = nexus_global_id(0);
    if (row < m && column < n) c[row * n + column] = NEXUS_MINE(sum);
  }
}
