# SPDX-License-Identifier: Apache-2.0
"""The product of two matrices, in tiles of 16 x 16."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show

import nexus


def matrix_multiply(device: nexus.Device, a: Floats, b: Floats) -> Floats:
    """Returns a @ b, of m x k and k x n values."""
    (m, k), n = a.shape, b.shape[1]
    c = device.create_buffer((m, n))
    arguments = (device.create_buffer(a), device.create_buffer(b), c, m, n, k)
    launch(device, kernel(device, "matrix_multiply.c"), arguments, (n, m))
    return c.numpy()


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    a, b = np.random.default_rng(1).random((2, 512, 512), dtype=np.float32)
    return matrix_multiply(device, a, b), a @ b


if __name__ == "__main__":
    show(example)
