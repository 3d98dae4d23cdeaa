# SPDX-License-Identifier: Apache-2.0
"""The first result by CuPy's RawKernel, with its own cache on disk."""

import cupy
import numpy as np

SOURCE = """
extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""

kernel = cupy.RawKernel(SOURCE, "add")
a = cupy.asarray(np.arange(1024, dtype=np.float32))
b = cupy.asarray(np.ones(1024, np.float32))
c = cupy.empty(1024, np.float32)
kernel((4,), (256,), (a, b, c, np.int32(1024)))
print("result", c.get()[-1], flush=True)
