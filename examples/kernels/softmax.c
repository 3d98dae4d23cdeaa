/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The softmax of each row of a matrix with `columns` values a row: exp(x - largest) divided by the
 * sum of these. A group of 256 items makes one row; each item takes every 256th value.
 */
#include <nexus_kernel.h>

#define GROUP 256

NEXUS_PHASED_KERNEL(softmax_rows, (GROUP, 1, 1), (NEXUS_GLOBAL const float *, in),
                    (NEXUS_GLOBAL float *, out), (int, columns),
                    (NEXUS_LOCAL float, largest, GROUP), (NEXUS_LOCAL float, sums, GROUP)) {
  int row = nexus_group_id(0) * columns;
  NEXUS_PHASE {
    float top = in[row];
    for (int i = nexus_local_id(0); i < columns; i += GROUP) top = nexus_max(top, in[row + i]);
    largest[nexus_local_id(0)] = top;
  }
  for (int width = GROUP / 2; width > 0; width /= 2) {
    NEXUS_PHASE {
      int l = nexus_local_id(0);
      if (l < width) largest[l] = nexus_max(largest[l], largest[l + width]);
    }
  }
  NEXUS_PHASE {
    float sum = 0.0f;
    for (int i = nexus_local_id(0); i < columns; i += GROUP) {
      float value = nexus_exp(in[row + i] - largest[0]);
      out[row + i] = value;
      sum += value;
    }
    sums[nexus_local_id(0)] = sum;
  }
  for (int width = GROUP / 2; width > 0; width /= 2) {
    NEXUS_PHASE {
      int l = nexus_local_id(0);
      if (l < width) sums[l] += sums[l + width];
    }
  }
  NEXUS_STEP {
    for (int i = nexus_local_id(0); i < columns; i += GROUP) out[row + i] /= sums[0];
  }
}
