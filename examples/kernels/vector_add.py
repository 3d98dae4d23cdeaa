# SPDX-License-Identifier: Apache-2.0
"""The sum of two vectors."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show

import nexus


def vector_add(device: nexus.Device, a: Floats, b: Floats) -> Floats:
    """Returns a + b."""
    c = device.create_buffer((a.size,))
    arguments = (device.create_buffer(a), device.create_buffer(b), c, a.size)
    launch(device, kernel(device, "vector_add.c"), arguments, a.size)
    return c.numpy()


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    a, b = np.random.default_rng(1).random((2, 1_000_000), dtype=np.float32)
    return vector_add(device, a, b), a + b


if __name__ == "__main__":
    show(example)
