# SPDX-License-Identifier: Apache-2.0
"""The first result by Nexus, of CUDA C++; of the portable language with the argument `portable`."""

import os
import sys

import numpy as np

import nexus

CUDA = """
extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
PORTABLE = """
NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL const float *, a), (NEXUS_GLOBAL const float *, b),
                     (NEXUS_GLOBAL float *, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}
"""

portable = sys.argv[1:] == ["portable"]
device = nexus.get_device(os.environ.get("NEXUS_GPU_DEVICE", "cuda:0"))
library = device.compile(PORTABLE if portable else CUDA, "nexus" if portable else "cuda")
a = device.create_buffer(np.arange(1024, dtype=np.float32))
b = device.create_buffer(np.ones(1024, np.float32))
c = device.create_buffer((1024,))
schedule = device.create_schedule()
schedule.create_command(library.get_kernel("add"), (a, b, c, np.int32(1024)), 256, 1024)
schedule.run()
print("result", c.numpy()[-1], flush=True)
