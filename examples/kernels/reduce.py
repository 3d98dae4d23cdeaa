# SPDX-License-Identifier: Apache-2.0
"""The sum of an array, by a tree in each group of 256."""

from __future__ import annotations

import numpy as np
from launch import Floats, groups, kernel, launch, show

import nexus

GROUP = 256


def reduce(device: nexus.Device, x: Floats, name: str = "reduce") -> float:
    """Returns the sum; name is 'reduce' (phases) or 'reduce_with_barriers'."""
    tree = kernel(device, "reduce.c", name)
    values, size = device.create_buffer(x), x.size
    while True:
        left = groups(size, GROUP)
        sums = device.create_buffer((left,))
        launch(device, tree, (values, sums, size), size, GROUP)
        if left == 1:
            return float(sums.numpy()[0])
        values, size = sums, left


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    x = np.random.default_rng(1).random(1_000_000, dtype=np.float32)
    return np.array([reduce(device, x)]), np.array([x.sum(dtype=np.float64)])


if __name__ == "__main__":
    show(example)
