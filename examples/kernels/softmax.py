# SPDX-License-Identifier: Apache-2.0
"""The softmax of each row of a matrix."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show
from numpy.typing import NDArray

import nexus

GROUP = 256  # items that make one row


def softmax(device: nexus.Device, matrix: Floats) -> Floats:
    """Returns scipy.special.softmax(matrix, axis=1)."""
    rows, columns = matrix.shape
    out = device.create_buffer((rows, columns))
    softmax_rows = kernel(device, "softmax.c", "softmax_rows")
    launch(device, softmax_rows, (device.create_buffer(matrix), out, columns), rows * GROUP)
    return out.numpy()


def softmax_by_numpy(matrix: Floats) -> NDArray[np.float64]:
    powers = np.exp(matrix.astype(np.float64) - matrix.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def example(device: nexus.Device) -> tuple[Floats, NDArray[np.float64]]:
    matrix = np.random.default_rng(1).normal(0, 10, (500, 1000)).astype(np.float32)
    return softmax(device, matrix), softmax_by_numpy(matrix)


if __name__ == "__main__":
    show(example)
