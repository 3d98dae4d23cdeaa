# SPDX-License-Identifier: Apache-2.0
"""Computes in two streams at once; an event lets one wait for the other.

python examples/two_streams.py
"""

from __future__ import annotations

import numpy as np

import nexus

KERNELS = """
NEXUS_KERNEL_BOUNDED(square, (n), (NEXUS_GLOBAL float *, x), (int, n)) {
  int i = nexus_global_id(0);
  x[i] *= x[i];
}
NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL float *, x), (NEXUS_GLOBAL const float *, y),
                     (int, n)) {
  x[nexus_global_id(0)] += y[nexus_global_id(0)];
}
"""

device = nexus.get_device()
library = device.compile(KERNELS)
square, add = library.get_kernel("square"), library.get_kernel("add")
n = 1 << 20
x, y = nexus.full(n, 3.0, device=device), nexus.full(n, 4.0, device=device)
first, second = device.create_stream(), device.create_stream()

square(x, n, grid=n, stream=first, blocking=False)
square(y, n, grid=n, stream=second, blocking=False)
first.wait(second.record())  # the event of all that second has
add(x, y, n, grid=n, stream=first, blocking=False)
assert np.all(x.numpy() == 25)  # waits for the work that uses x
print(f"3 * 3 + 4 * 4 = {x[0].item():g}, {n} times on {device.name}.")
