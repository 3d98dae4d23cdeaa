# SPDX-License-Identifier: Apache-2.0
"""Counts how often each byte is in an array."""

from __future__ import annotations

import numpy as np
from launch import kernel, launch, show
from numpy.typing import NDArray

import nexus

GROUP = 256
MOST_GROUPS = 64  # each adds its 256 counts to the result


def histogram(device: nexus.Device, x: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Returns numpy.bincount(x, minlength=256)."""
    bins = device.create_buffer(np.zeros(256, np.uint32))
    grid = min(x.size, MOST_GROUPS * GROUP)
    arguments = (device.create_buffer(x), bins, x.size)
    launch(device, kernel(device, "histogram.c"), arguments, grid)
    return bins.numpy()


def example(device: nexus.Device) -> tuple[NDArray[np.uint32], NDArray[np.intp]]:
    x = np.random.default_rng(1).integers(0, 256, 1_000_000, dtype=np.uint8)
    return histogram(device, x), np.bincount(x, minlength=256)


if __name__ == "__main__":
    show(example)
