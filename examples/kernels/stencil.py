# SPDX-License-Identifier: Apache-2.0
"""Heat that spreads in a plate: a stencil of five points, many times."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, show

import nexus


def spread(device: nexus.Device, plate: Floats, rate: float, steps: int) -> Floats:
    """Returns the plate after a number of steps."""
    height, width = plate.shape
    step = kernel(device, "stencil.c")
    here, there = device.create_buffer(plate), device.create_buffer(plate)
    schedule = device.create_schedule()
    for source, target in ((here, there), (there, here)):
        arguments = (source, target, width, height, rate)
        schedule.create_command(step, arguments, None, (width, height))
    for _ in range(steps // 2):
        schedule.run()
    if steps % 2 == 0:
        return here.numpy()
    last = device.create_schedule()
    last.create_command(step, (here, there, width, height, rate), None, (width, height))
    last.run()
    return there.numpy()


def spread_by_numpy(plate: Floats, rate: float, steps: int) -> Floats:
    plate = plate.copy()
    for _ in range(steps):
        inner = plate[1:-1, 1:-1]
        around = plate[1:-1, :-2] + plate[1:-1, 2:] + plate[:-2, 1:-1] + plate[2:, 1:-1]
        plate[1:-1, 1:-1] = inner + np.float32(rate) * (np.float32(0.25) * around - inner)
    return plate


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    plate = np.zeros((300, 500), np.float32)
    plate[:, 0] = 100
    return spread(device, plate, 0.9, 51), spread_by_numpy(plate, 0.9, 51)


if __name__ == "__main__":
    show(example)
