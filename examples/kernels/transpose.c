/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out = the transpose of in, which has height rows of width values.
 *
 * A group turns a tile of 32 x 32 in local memory, so that neighbouring items both read and write
 * neighbouring values. The tile's rows are one longer than that: the items of a column then meet
 * different banks of a GPU's local memory.
 */
#include <nexus_kernel.h>

#define TILE 32
#define ROW (TILE + 1)

NEXUS_PHASED_KERNEL(transpose, (TILE, 8, 1), (NEXUS_GLOBAL const float *, in),
                    (NEXUS_GLOBAL float *, out), (int, width), (int, height),
                    (NEXUS_LOCAL float, tile, TILE *ROW)) {
  NEXUS_PHASE {
    int x = nexus_group_id(0) * TILE + nexus_local_id(0);
    for (int line = nexus_local_id(1); line < TILE; line += 8) {
      int y = nexus_group_id(1) * TILE + line;
      if (x < width && y < height) tile[line * ROW + nexus_local_id(0)] = in[y * width + x];
    }
  }
  NEXUS_STEP {
    int x = nexus_group_id(1) * TILE + nexus_local_id(0);
    for (int line = nexus_local_id(1); line < TILE; line += 8) {
      int y = nexus_group_id(0) * TILE + line;
      if (x < height && y < width) out[y * height + x] = tile[nexus_local_id(0) * ROW + line];
    }
  }
}
