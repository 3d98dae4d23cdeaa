/* SPDX-License-Identifier: Apache-2.0 */
/* The two steps of examples/edge_detect.py. */
#include <nexus_kernel.h>

NEXUS_FUNCTION int inside(int value, int end) {
  return nexus_imin(nexus_imax(value, 0), end - 1);
}

/* The brightness of each pixel from 0 to 1; with the weights of ITU-R BT.601. */
NEXUS_KERNEL_BOUNDED(grey, (width, height), (NEXUS_GLOBAL const nexus_uint8 *NEXUS_RESTRICT, rgb),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, brightness), (int, width),
                     (int, height)) {
  int i = nexus_global_id(1) * width + nexus_global_id(0);
  brightness[i] =
      (0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]) / 255.0f;
}

/* The length of the gradient after Sobel; beyond its border the image goes on as its last pixel. */
NEXUS_KERNEL_BOUNDED(sobel, (width, height), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, image),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, edges), (int, width), (int, height)) {
  int x = nexus_global_id(0), y = nexus_global_id(1);
  int left = inside(x - 1, width), right = inside(x + 1, width);
  NEXUS_GLOBAL const float *above = image + inside(y - 1, height) * width;
  NEXUS_GLOBAL const float *here = image + y * width;
  NEXUS_GLOBAL const float *below = image + inside(y + 1, height) * width;
  float gx = (above[right] + 2.0f * here[right] + below[right]) -
             (above[left] + 2.0f * here[left] + below[left]);
  float gy = (below[left] + 2.0f * below[x] + below[right]) -
             (above[left] + 2.0f * above[x] + above[right]);
  edges[y * width + x] = nexus_sqrt(gx * gx + gy * gy);
}
