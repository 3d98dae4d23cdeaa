/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of `nexus demo`, the Mandelbrot set: for each pixel, the number of turns of
 * z = z * z + c, at most `limit`, that begin with |z| <= 2.
 *
 * A step makes one turn for all pixels of the group, so that a CPU uses its vectors. A pixel that
 * has left the circle is not counted any more; the group stops when all have left it.
 */
#include <nexus_kernel.h>

NEXUS_PHASED_KERNEL(mandelbrot, (64, 1, 1), (NEXUS_GLOBAL int *, turns), (int, width),
                    (int, height), (float, left), (float, top), (float, pixel), (int, limit)) {
  NEXUS_PRIVATE(float, z_re);
  NEXUS_PRIVATE(float, z_im);
  NEXUS_PRIVATE(int, inside);
  NEXUS_PRIVATE(int, count);
  NEXUS_STEP {
    NEXUS_MINE(z_re) = 0.0f;
    NEXUS_MINE(z_im) = 0.0f;
    NEXUS_MINE(inside) = 1;
    NEXUS_MINE(count) = 0;
  }
  for (int turn = 0; turn < limit; ++turn) {
    NEXUS_STEP {
      float re = NEXUS_MINE(z_re);
      float im = NEXUS_MINE(z_im);
      NEXUS_MINE(inside) &= re * re + im * im <= 4.0f;
      NEXUS_MINE(count) += NEXUS_MINE(inside);
      NEXUS_MINE(z_im) = 2.0f * re * im + (top + (float)nexus_global_id(1) * pixel);
      NEXUS_MINE(z_re) = re * re - im * im + (left + (float)nexus_global_id(0) * pixel);
    }
    if (!NEXUS_ANY(NEXUS_MINE(inside))) break;
  }
  NEXUS_STEP {
    int column = nexus_global_id(0);
    int row = nexus_global_id(1);
    if (column < width && row < height) turns[row * width + column] = NEXUS_MINE(count);
  }
}
