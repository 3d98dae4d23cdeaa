/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out = the transpose of x, which has `height` rows of `width` elements of NXA_T.
 *
 * A group turns a tile in local memory, so that neighbouring items both read and write neighbours.
 * The tile's rows are one longer than that: the items of a column then meet different banks of a
 * GPU's local memory.
 */
#define TILE 32
#define ROW (TILE + 1)

NEXUS_PHASED_KERNEL(transpose, (TILE, 8, 1), (NEXUS_GLOBAL const NXA_T *, x),
                    (NEXUS_GLOBAL NXA_T *, out), (nexus_int32, width), (nexus_int32, height),
                    (NEXUS_LOCAL NXA_T, tile, TILE *ROW)) {
  NEXUS_PHASE {
    const int column = nexus_group_id(0) * TILE + nexus_local_id(0);
    for (int line = nexus_local_id(1); line < TILE; line += 8) {
      const int row = nexus_group_id(1) * TILE + line;
      if (column < width && row < height) {
        tile[line * ROW + nexus_local_id(0)] = x[(nexus_int64)row * width + column];
      }
    }
  }
  NEXUS_STEP {
    const int column = nexus_group_id(1) * TILE + nexus_local_id(0);
    for (int line = nexus_local_id(1); line < TILE; line += 8) {
      const int row = nexus_group_id(0) * TILE + line;
      if (column < height && row < width) {
        out[(nexus_int64)row * height + column] = tile[nexus_local_id(0) * ROW + line];
      }
    }
  }
}
