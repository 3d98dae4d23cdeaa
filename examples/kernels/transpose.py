# SPDX-License-Identifier: Apache-2.0
"""The transpose of a matrix, through tiles in local memory."""

from __future__ import annotations

import numpy as np
from launch import Floats, groups, kernel, launch, show

import nexus

TILE, LINES = 32, 8  # a group of 32 x 8 items turns a tile of 32 x 32


def transpose(device: nexus.Device, matrix: Floats) -> Floats:
    """Returns matrix.T."""
    height, width = matrix.shape
    out = device.create_buffer((width, height))
    arguments = (device.create_buffer(matrix), out, width, height)
    grid = (groups(width, TILE) * TILE, groups(height, TILE) * LINES)
    launch(device, kernel(device, "transpose.c"), arguments, grid)
    return out.numpy()


def example(device: nexus.Device) -> tuple[Floats, Floats]:
    matrix = np.random.default_rng(1).random((1000, 700), dtype=np.float32)
    return transpose(device, matrix), matrix.T


if __name__ == "__main__":
    show(example)
