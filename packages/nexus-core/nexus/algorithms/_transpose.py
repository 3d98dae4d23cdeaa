# SPDX-License-Identifier: Apache-2.0
"""Transposed matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, perform

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

_TILE = 32


def transpose(
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the transpose of a buffer of two dimensions, in new memory.

    For the parameters see `nexus.algorithms`; out must not be x.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([[1, 2], [3, 4], [5, 6]]))
        >>> nexus.algorithms.transpose(x).numpy()
        array([[1, 3, 5],
               [2, 4, 6]])
    """
    x = _dtypes.buffer("x", x)
    if len(x.shape) != 2:
        raise ValueError(f"x has the shape {x.shape}: give two dimensions.")
    height, width = x.shape
    device = _dtypes.device_of(x=x)
    result = _dtypes.output("out", out, device, (width, height), _dtypes.name_of("x", x))
    bits = f"uint{8 * np.dtype(x.dtype).itemsize}"

    def record(recorder: Recorder, source: Operand, target: Operand) -> None:
        kernel = recorder.kernel("transpose.c", "transpose", {"T": C_TYPES[bits]})
        # The group has a fourth of the tile's rows: each item takes four.
        tiles = (-(-width // _TILE), -(-height // _TILE))
        recorder.launch(kernel, (source, target, width, height), groups=tiles)

    operands = (x.view(bits), result.view(bits))
    key = ("transpose", bits, height, width)
    perform(device, key, record, operands, schedule, stream, blocking)
    return result
