# SPDX-License-Identifier: Apache-2.0
"""Computes a times x plus y."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show

import nexus


def saxpy(device: nexus.Device, a: float, x: Floats, y: Floats) -> Floats:
    """Returns a * x + y."""
    result = device.create_buffer(y)
    arguments = (device.create_buffer(x), result, a, x.size)
    launch(device, kernel(device, "saxpy.c"), arguments, x.size)
    return result.numpy()


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    x, y = np.random.default_rng(1).random((2, 1_000_000), dtype=np.float32)
    return saxpy(device, 2.5, x, y), np.float32(2.5) * x + y


if __name__ == "__main__":
    show(example)
