# SPDX-License-Identifier: Apache-2.0
"""An array of one value."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show

import nexus


def fill(device: nexus.Device, size: int, value: float) -> Floats:
    """Returns an array of `size` times the value."""
    x = device.create_buffer((size,))
    launch(device, kernel(device, "fill.c"), (x, value, size), size)
    return x.numpy()


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    return fill(device, 1_000_000, 0.1), np.full(1_000_000, 0.1, np.float32)


if __name__ == "__main__":
    show(example)
