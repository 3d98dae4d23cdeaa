# SPDX-License-Identifier: Apache-2.0
"""Products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, perform

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

_DTYPES = ("float32", "float64", "int32", "uint32", "int64", "uint64")
_ROWS = 64
_LINE = 256  # bytes of a group's row, on a CPU
# On a GPU.
_SIDES = {4: 8, 8: 4}  # rows and columns that a work item makes, by the bytes of an element
_FULL = 256  # groups of 16 x 16 items that keep it busy; of a smaller product groups are 8 x 8


def matmul(
    a: Buffer,
    b: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the product of two matrices, of float32, float64 or integers of 32 or 64 bits.

    For the parameters see `nexus.algorithms`; out must be neither of a and b.

    Example:
        >>> import numpy
        >>> device = nexus.get_device("cpu")
        >>> a = device.create_buffer(numpy.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> nexus.algorithms.matmul(a, a).numpy()
        array([[ 7., 10.],
               [15., 22.]])
    """
    a, b = _dtypes.buffer("a", a), _dtypes.buffer("b", b)
    if a.dtype != b.dtype or a.dtype not in _DTYPES:
        raise TypeError(
            f"a has elements of {a.dtype}, and b of {b.dtype}: give equal ones of "
            f"{', '.join(_DTYPES)}."
        )
    if len(a.shape) != 2 or len(b.shape) != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"a has the shape {a.shape}, and b {b.shape}: give (m, k) and (k, n).")
    (m, k), n, kind = a.shape, b.shape[1], a.dtype
    device = _dtypes.device_of(a=a, b=b)
    result = _dtypes.output("out", out, device, (m, n), kind)
    columns = _LINE // np.dtype(kind).itemsize
    # Overflow wraps, so integers are multiplied as unsigned ones.
    unsigned = kind if kind.startswith(("f", "u")) else f"u{kind}"

    side = _SIDES[np.dtype(kind).itemsize]
    across = 16 if m * n >= _FULL * (16 * side) ** 2 else 8

    def record(recorder: Recorder, *operands: Operand) -> None:
        wide, high = (columns, _ROWS) if recorder.on_cpu else (across * side, across * side)
        defines: dict[str, str | int] = {
            "T": C_TYPES[unsigned],
            "ROWS": _ROWS,
            "COLUMNS": columns,
            "SIDE": side,
            "ACROSS": across,
        }
        kernel = recorder.kernel("matmul.c", "matmul", defines)
        groups = (-(-n // wide), -(-m // high))
        recorder.launch(kernel, (*operands, m, n, k), groups=groups)

    operands = tuple(each.view(unsigned) for each in (a, b, result))
    perform(device, ("matmul", kind, m, n, k, across), record, operands, schedule, stream, blocking)
    return result
