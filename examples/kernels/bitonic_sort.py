# SPDX-License-Identifier: Apache-2.0
"""Sorts numbers by a bitonic network."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, show

import nexus


def bitonic_sort(device: nexus.Device, x: Floats) -> Floats:
    """Returns numpy.sort(x) for any size, padded with infinity to a power of two."""
    size = 1 << (x.size - 1).bit_length()
    values = device.create_buffer(np.pad(x, (0, size - x.size), constant_values=np.inf))
    step = kernel(device, "bitonic_sort.c", "bitonic_step")
    schedule = device.create_schedule()
    for run in (1 << i for i in range(1, size.bit_length())):
        distance = run // 2
        while distance > 0:
            schedule.create_command(step, (values, run, distance, size // 2), None, size // 2)
            distance //= 2
    if size > 1:
        schedule.run()
    return values.numpy()[: x.size]


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    x = np.random.default_rng(1).normal(size=100_000).astype(np.float32)
    return bitonic_sort(device, x), np.sort(x)


if __name__ == "__main__":
    show(example)
