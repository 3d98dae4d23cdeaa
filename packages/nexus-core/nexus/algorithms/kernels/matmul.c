/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a * b, of m x k and k x n elements of NXA_T, row after row.
 *
 * For GPUs an item makes one element: the group copies a tile of a and one of b to local memory at
 * a time. For CPUs a group makes NXA_ROWS x NXA_COLUMNS elements, of which an item has a column: it
 * copies DEPTH rows of b, and adds the products with four of them at a time to all rows, so that
 * the four stay in registers, and sums are read and written once for four products.
 */
#if NXA_ON_CPU
#define DEPTH 64

NEXUS_PHASED_KERNEL(matmul, (NXA_COLUMNS, 1, 1), (NEXUS_GLOBAL const NXA_T *, a),
                    (NEXUS_GLOBAL const NXA_T *, b), (NEXUS_GLOBAL NXA_T *, c), (nexus_int32, m),
                    (nexus_int32, n), (nexus_int32, k),
                    (NEXUS_LOCAL NXA_T, sums, NXA_ROWS *NXA_COLUMNS),
                    (NEXUS_LOCAL NXA_T, part, DEPTH *NXA_COLUMNS)) {
  const int top = nexus_group_id(1) * NXA_ROWS;
  const int rows = m - top < NXA_ROWS ? m - top : NXA_ROWS;
  for (int row = 0; row < rows; ++row) {
    NEXUS_STEP {
      sums[row * NXA_COLUMNS + nexus_local_id(0)] = 0;
    }
  }
  for (int first = 0; first < k; first += DEPTH) {
    const int depth = k - first < DEPTH ? k - first : DEPTH;
    for (int j = 0; j < depth; ++j) {
      NEXUS_STEP {
        const int l = nexus_local_id(0), column = nexus_global_id(0);
        part[j * NXA_COLUMNS + l] = column < n ? b[(nexus_int64)(first + j) * n + column] : 0;
      }
    }
    int j = 0;
    for (; j + 4 <= depth; j += 4) {
      for (int row = 0; row < rows; ++row) {
        NEXUS_GLOBAL const NXA_T *line = a + (nexus_int64)(top + row) * k + first + j;
        const NXA_T a0 = line[0], a1 = line[1], a2 = line[2], a3 = line[3];
        NEXUS_STEP {
          const int l = nexus_local_id(0), at = j * NXA_COLUMNS + l;
          sums[row * NXA_COLUMNS + l] += a0 * part[at] + a1 * part[at + NXA_COLUMNS] +
                                         a2 * part[at + 2 * NXA_COLUMNS] +
                                         a3 * part[at + 3 * NXA_COLUMNS];
        }
      }
    }
    for (; j < depth; ++j) {
      for (int row = 0; row < rows; ++row) {
        const NXA_T a0 = a[(nexus_int64)(top + row) * k + first + j];
        NEXUS_STEP {
          const int l = nexus_local_id(0);
          sums[row * NXA_COLUMNS + l] += a0 * part[j * NXA_COLUMNS + l];
        }
      }
    }
  }
  for (int row = 0; row < rows; ++row) {
    NEXUS_STEP {
      const int column = nexus_global_id(0);
      if (column < n) {
        c[(nexus_int64)(top + row) * n + column] = sums[row * NXA_COLUMNS + nexus_local_id(0)];
      }
    }
  }
}

#else
#define TILE 16
#define AREA (TILE * TILE)

NEXUS_PHASED_KERNEL(matmul, (TILE, TILE, 1), (NEXUS_GLOBAL const NXA_T *, a),
                    (NEXUS_GLOBAL const NXA_T *, b), (NEXUS_GLOBAL NXA_T *, c), (nexus_int32, m),
                    (nexus_int32, n), (nexus_int32, k), (NEXUS_LOCAL NXA_T, tile_a, AREA),
                    (NEXUS_LOCAL NXA_T, tile_b, AREA)) {
  NEXUS_PRIVATE(NXA_T, sum);
  NEXUS_STEP {
    NEXUS_MINE(sum) = 0;
  }
  for (int first = 0; first < k; first += TILE) {
    NEXUS_PHASE {
      const int x = nexus_local_id(0), y = nexus_local_id(1);
      const int row = nexus_global_id(1), column = nexus_global_id(0);
      tile_a[y * TILE + x] =
          row < m && first + x < k ? a[(nexus_int64)row * k + first + x] : (NXA_T)0;
      tile_b[y * TILE + x] =
          column < n && first + y < k ? b[(nexus_int64)(first + y) * n + column] : (NXA_T)0;
    }
    NEXUS_PHASE {
      const int x = nexus_local_id(0), y = nexus_local_id(1);
      NXA_T part = NEXUS_MINE(sum);
      for (int i = 0; i < TILE; ++i) part += tile_a[y * TILE + i] * tile_b[i * TILE + x];
      NEXUS_MINE(sum) = part;
    }
  }
  NEXUS_STEP {
    const int row = nexus_global_id(1), column = nexus_global_id(0);
    if (row < m && column < n) c[(nexus_int64)row * n + column] = NEXUS_MINE(sum);
  }
}
#endif
