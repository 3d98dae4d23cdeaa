/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of heat in a plate of width x height cells: each inner cell moves towards the mean of
 * its four neighbours by the share `rate`; the cells of the border keep their values.
 */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(stencil, (width, height), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, in),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, out), (int, width), (int, height),
                     (float, rate)) {
  int x = nexus_global_id(0);
  int y = nexus_global_id(1);
  int at = y * width + x;
  float heat = in[at];
  if (x != 0 && y != 0 && x != width - 1 && y != height - 1) {
    float around = in[at - 1] + in[at + 1] + in[at - width] + in[at + width];
    heat += rate * (0.25f * around - heat);
  }
  out[at] = heat;
}
