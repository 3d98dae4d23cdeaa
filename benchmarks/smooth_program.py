# SPDX-License-Identifier: Apache-2.0
"""The program of the rows that compile: a kernel of 20 lines."""

from __future__ import annotations

SOURCE = """\
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(smooth, (width, height), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, in),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, out), (int, width), (int, height),
                     (float, strength)) {
  int column = nexus_global_id(0);
  int row = nexus_global_id(1);
  int left = nexus_imax(column - 1, 0);
  int right = nexus_imin(column + 1, width - 1);
  int above = nexus_imax(row - 1, 0);
  int below = nexus_imin(row + 1, height - 1);
  float here = in[row * width + column];
  float sum = in[row * width + left] + in[row * width + right];
  sum += in[above * width + column] + in[below * width + column];
  float difference = 0.25f * sum - here;
  float weight = strength * nexus_exp(-difference * difference);
  float moved = here + weight * difference;
  /* Values lie between 0 and 1. */
  out[row * width + column] = nexus_clamp(moved, 0.0f, 1.0f);
}
"""
