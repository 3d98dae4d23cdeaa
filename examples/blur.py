# SPDX-License-Identifier: Apache-2.0
"""Blurs a photograph: each pixel becomes the mean of the 9 x 9 around it.

pip install pillow
python examples/blur.py photo.jpg blurred.png
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image

import nexus

KERNEL = """
NEXUS_KERNEL_BOUNDED(blur, (3 * width, height), (NEXUS_GLOBAL const nexus_uint8 *, in),
                     (NEXUS_GLOBAL nexus_uint8 *, out), (int, width), (int, height)) {
  int x = nexus_global_id(0), y = nexus_global_id(1), sum = 0, count = 0;
  for (int dy = -4; dy <= 4; ++dy) {
    for (int dx = -12; dx <= 12; dx += 3) { /* of the same color */
      int near_x = x + dx, near_y = y + dy;
      if (near_x < 0 || near_x >= 3 * width || near_y < 0 || near_y >= height) continue;
      sum += in[near_y * 3 * width + near_x];
      ++count;
    }
  }
  out[y * 3 * width + x] = (nexus_uint8)(sum / count);
}
"""

photo = np.asarray(Image.open(sys.argv[1]).convert("RGB"))
blur = nexus.get_device().compile(KERNEL).get_kernel("blur")
height, width, _ = photo.shape
blurred = np.empty_like(photo)
blur(nexus.In(photo), nexus.Out(blurred), width, height, grid=(3 * width, height))
Image.fromarray(blurred).save(sys.argv[2])
print(f"Blurred {width} x {height} pixels on {blur.device.name}.")
