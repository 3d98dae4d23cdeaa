# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set: the number of turns that each pixel stays near the origin."""

from __future__ import annotations

import numpy as np
from launch import kernel, launch, show
from numpy.typing import NDArray

import nexus

Counts = NDArray[np.int32]


def mandelbrot(device: nexus.Device, width: int, height: int, limit: int = 256) -> Counts:
    """Returns the counts of the pixels from -2 - 1.5i, 3 wide."""
    turns = device.create_buffer((height, width), dtype="int32")
    arguments = (turns, width, height, -2.0, -1.5, 3.0 / width, limit)
    launch(device, kernel(device, "mandelbrot.c"), arguments, (width, height))
    return turns.numpy()


def mandelbrot_by_numpy(width: int, height: int, limit: int = 256) -> Counts:
    pixel = np.float32(3.0 / width)
    c_re = np.float32(-2.0) + np.arange(width, dtype=np.float32) * pixel
    c_im = (np.float32(-1.5) + np.arange(height, dtype=np.float32) * pixel)[:, None]
    re, im = np.zeros((2, height, width), np.float32)
    turns = np.zeros((height, width), np.int32)
    inside = np.ones((height, width), np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(limit):
            inside &= re * re + im * im <= 4.0
            turns += inside
            re, im = re * re - im * im + c_re, np.float32(2.0) * re * im + c_im
    return turns


def example(device: nexus.Device) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # Rounding may change a pixel's count by one, so the means are compared.
    ours, numpys = mandelbrot(device, 1024, 1024), mandelbrot_by_numpy(1024, 1024)
    print(f"{np.mean(ours == numpys):.2%} of the pixels are the same")
    return np.array([ours.mean()]), np.array([numpys.mean()])


if __name__ == "__main__":
    show(example)
