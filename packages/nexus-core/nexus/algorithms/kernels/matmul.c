/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a * b, of m x k and k x n elements of NXA_T, row after row.
 *
 * For GPUs a group has ACROSS x ACROSS items, of which each makes SIDE x SIDE elements in
 * registers: the group copies DEPTH columns of its rows of a and DEPTH rows of its columns of b to
 * local memory, while it multiplies those before. For CPUs a group makes NXA_ROWS x NXA_COLUMNS
 * elements, of which an item has a column: it copies DEPTH rows of b, and adds the products with
 * four of them at a time to all rows, so that the four stay in registers, and sums are read and
 * written once for four products.
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
/* 16 bytes, which an item reads at once. */
#define WIDE (16 / (int)sizeof(NXA_T))
typedef struct __attribute__((aligned(16))) line {
  NXA_T part[16 / sizeof(NXA_T)];
} line;

#define ACROSS 16
#define SIDE 4
#define ITEMS (ACROSS * ACROSS)
#define TILE (ACROSS * SIDE)
#define LINES (TILE / WIDE)
#define LINES_A (LINES + 1) /* so that the items that store a column of a meet different banks */
#define DEPTH 8
#define LOADS (TILE * DEPTH / ITEMS)
#define EACH(name, count) _Pragma("unroll") for (int name = 0; name < (count); ++name)

/* Where the lines of an item begin: its elements are several parts of the tile, so that neighbours
 * read neighbouring lines. */
#define START(part, item) ((part) * ACROSS + (item))

/* A structure of C++ is copied from one address space to another by its members. */
#if NEXUS_TARGET_METAL
#define READ_LINE(to, from) EACH(part_of, WIDE)(to).part[part_of] = (from).part[part_of];
#else
#define READ_LINE(to, from) (to) = (from);
#endif

/* Loads an item's share of the tiles at column `from` of a. */
#define LOAD(from)                                                                     \
  EACH(j, LOADS) {                                                                     \
    const int e = j * ITEMS + nexus_local_id(0);                                       \
    const int row = top + e / DEPTH, column = left + e % TILE;                         \
    const int at_a = (from) + e % DEPTH, at_b = (from) + e / TILE;                     \
    next_a[j] = row < m && at_a < k ? a[(nexus_int64)row * k + at_a] : (NXA_T)0;       \
    next_b[j] = column < n && at_b < k ? b[(nexus_int64)at_b * n + column] : (NXA_T)0; \
  }
#define STORE(turn)                                                                              \
  EACH(j, LOADS) {                                                                               \
    const int e = j * ITEMS + nexus_local_id(0), row = e / DEPTH, column = e % TILE;             \
    tile_a[((turn) * DEPTH + e % DEPTH) * LINES_A + row / WIDE].part[row % WIDE] = next_a[j];    \
    tile_b[((turn) * DEPTH + e / TILE) * LINES + column / WIDE].part[column % WIDE] = next_b[j]; \
  }

NEXUS_PHASED_KERNEL(matmul, (ITEMS, 1, 1), (NEXUS_GLOBAL const NXA_T *, a),
                    (NEXUS_GLOBAL const NXA_T *, b), (NEXUS_GLOBAL NXA_T *, c), (nexus_int32, m),
                    (nexus_int32, n), (nexus_int32, k),
                    (NEXUS_LOCAL line, tile_a, 2 * DEPTH * LINES_A),
                    (NEXUS_LOCAL line, tile_b, 2 * DEPTH * LINES)) {
  const int top = nexus_group_id(1) * TILE, left = nexus_group_id(0) * TILE;
  NXA_T sums[SIDE][SIDE];
  NXA_T next_a[LOADS], next_b[LOADS];
  NEXUS_PHASE {
    EACH(row, SIDE) EACH(column, SIDE) sums[row][column] = (NXA_T)0;
    LOAD(0)
    STORE(0)
  }
  for (int from = 0, turn = 0; from < k; from += DEPTH, turn ^= 1) {
    NEXUS_STEP {
      if (from + DEPTH < k) {
        LOAD(from + DEPTH)
      }
      EACH(depth, DEPTH) {
        const int x = nexus_local_id(0) % ACROSS, y = nexus_local_id(0) / ACROSS;
        line rows[SIDE / WIDE], columns[SIDE / WIDE];
        EACH(j, SIDE / WIDE){
            READ_LINE(rows[j], tile_a[(turn * DEPTH + depth) * LINES_A + START(j, y)]) READ_LINE(
                columns[j], tile_b[(turn * DEPTH + depth) * LINES + START(j, x)])} EACH(row, SIDE)
            EACH(column, SIDE) {
          sums[row][column] +=
              rows[row / WIDE].part[row % WIDE] * columns[column / WIDE].part[column % WIDE];
        }
      }
    }
    NEXUS_PHASE {
      if (from + DEPTH < k) {
        STORE(turn ^ 1)
      }
    }
  }
  NEXUS_STEP {
    const int x = nexus_local_id(0) % ACROSS, y = nexus_local_id(0) / ACROSS;
    EACH(i, SIDE) EACH(j, SIDE) {
      const int row = top + START(i / WIDE, y) * WIDE + i % WIDE;
      const int column = left + START(j / WIDE, x) * WIDE + j % WIDE;
      if (row < m && column < n) c[(nexus_int64)row * n + column] = sums[i][j];
    }
  }
}
#endif
