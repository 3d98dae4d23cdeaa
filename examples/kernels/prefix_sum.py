# SPDX-License-Identifier: Apache-2.0
"""The running sums of an array."""

from __future__ import annotations

import numpy as np
from launch import Floats, groups, kernel, launch, show
from numpy.typing import NDArray

import nexus

GROUP = 256


def prefix_sum(device: nexus.Device, x: Floats) -> Floats:
    """Returns numpy.cumsum(x)."""
    return _of_buffer(device, device.create_buffer(x), x.size).numpy()


def _of_buffer(device: nexus.Device, values: nexus.Buffer, size: int) -> nexus.Buffer:
    count = groups(size, GROUP)
    out, sums = device.create_buffer((size,)), device.create_buffer((count,))
    launch(device, kernel(device, "prefix_sum.c"), (values, out, sums, size), size)
    if count > 1:
        before = _of_buffer(device, sums, count)
        add = kernel(device, "prefix_sum.c", "prefix_sum_add")
        launch(device, add, (out, before, size), size, GROUP)
    return out


def example(device: nexus.Device) -> tuple[Floats, NDArray[np.float64]]:
    x = np.random.default_rng(1).random(1_000_000, dtype=np.float32)
    return prefix_sum(device, x), x.cumsum(dtype=np.float64)


if __name__ == "__main__":
    show(example)
