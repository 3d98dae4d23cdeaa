# SPDX-License-Identifier: Apache-2.0
"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nexus import _checks
from nexus._errors import NexusError
from nexus.algorithms import _blas, _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, checked, perform
from nexus.status import Status

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

_DTYPES = ("float32", "float64", "int32", "uint32", "int64", "uint64")
_ROWS = 64
_LINE = 256  # bytes of a group's row, on a CPU
_TILE = 64  # rows and columns of a group, on a GPU


def matmul(
    a: Buffer,
    b: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
    blas: bool | None = None,
    tf32: bool = False,
) -> Buffer:
    """Returns the product of two matrices of float32, float64, or 32-bit or 64-bit integers.

    For the other parameters see `nexus.algorithms`; out must be neither a nor b.

    Args:
        blas: whether cuBLAS or hipBLAS computes the product. None uses it if it is installed, for
            float32 and float64, without a schedule. True raises NexusError (NXS_NotSupported) if
            it can't be used.
        tf32: whether cuBLAS may round float32 factors to 10 bits of mantissa (TF32), for tensor
            cores. Without cuBLAS, nothing is rounded.

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
    blocking = checked(stream, blocking)
    tf32 = _checks.boolean("tf32", tf32)
    if blas is None or _checks.boolean("blas", blas):
        if schedule is not None:
            refusal = "a schedule records the kernel"
        elif stream is not None and stream.device != device:
            refusal = "the stream is of another device"
        else:
            refusal = _blas.multiply(a, b, result, stream, blocking, tf32)
        if not refusal:
            return result
        if blas is not None:
            raise NexusError(
                f"blas is True, but {refusal}: leave blas out.", Status.NXS_NotSupported
            )
    columns = _LINE // np.dtype(kind).itemsize
    # Overflow wraps, so integers are multiplied as unsigned ones.
    unsigned = kind if kind.startswith(("f", "u")) else f"u{kind}"

    def record(recorder: Recorder, *operands: Operand) -> None:
        wide, high = (columns, _ROWS) if recorder.on_cpu else (_TILE, _TILE)
        defines: dict[str, str | int] = {
            "T": C_TYPES[unsigned],
            "ROWS": _ROWS,
            "COLUMNS": columns,
        }
        kernel = recorder.kernel("matmul.c", "matmul", defines)
        groups = (-(-n // wide), -(-m // high))
        recorder.launch(kernel, (*operands, m, n, k), groups=groups)

    operands = tuple(each.view(unsigned) for each in (a, b, result))
    perform(device, ("matmul", kind, m, n, k), record, operands, schedule, stream, blocking)
    return result
