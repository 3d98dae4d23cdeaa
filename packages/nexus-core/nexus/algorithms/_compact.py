# SPDX-License-Identifier: Apache-2.0
"""Selection of elements by a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, perform
from nexus.algorithms._scan import record_scan

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream


def compact(
    x: Buffer,
    mask: Buffer,
    *,
    out: tuple[Buffer, Buffer] | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> tuple[Buffer, Buffer]:
    """Selects the elements whose mask is not 0, in their order, like numpy.compress().

    Returns two buffers. The first is as long as x and begins with the selected elements; the rest
    is undefined. The second, of int64 and shape (), has their number. The call need not wait for
    that number; `values[: int(count.numpy())]` waits and gives only the selected elements.

    Args:
        mask: a buffer with as many elements as x, of any dtype.
        out: a tuple of both result buffers, neither of which is x.
        schedule, stream, blocking: see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> device = nexus.get_device("cpu")
        >>> x = device.create_buffer(numpy.array([3, 1, 2]))
        >>> mask = device.create_buffer(numpy.array([True, False, True]))
        >>> values, count = nexus.algorithms.compact(x, mask)
        >>> values[: int(count.numpy())].numpy()
        array([3, 2])
    """
    x, mask = _dtypes.buffer("x", x), _dtypes.buffer("mask", mask)
    if x.shape != mask.shape or len(x.shape) != 1:
        raise ValueError(
            f"x has the shape {x.shape}, and mask {mask.shape}: give equal ones of one dimension."
        )
    device = _dtypes.device_of(x=x, mask=mask)
    given: Any = (None, None) if out is None else out
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError("out has to be a tuple of two buffers: for the elements and their number.")
    made = _dtypes.output("out[0]", given[0], device, x.shape, _dtypes.name_of("x", x))
    count = _dtypes.output("out[1]", given[1], device, (), "int64")
    size = x.size
    bits = f"uint{8 * np.dtype(x.dtype).itemsize}"
    kind = mask.dtype or ""

    def record(recorder: Recorder, values: Operand, chosen: Operand, *outs: Operand) -> None:
        places = recorder.scratch(size, "int32")
        zero = np.int32(0)
        record_scan(recorder, chosen, chosen, places, zero, size, types=(kind,), kind="int32",
                    element="(p_x[i] != 0)")  # fmt: skip
        kernel = recorder.kernel(
            "compact.c", "compact_move", {"T": C_TYPES[bits], "M": C_TYPES[kind]}
        )
        recorder.launch(kernel, (values, chosen, places, *outs, size), items=size or 1)

    operands = (x.view(bits), mask, made.view(bits), count)
    perform(device, ("compact", bits, kind, size), record, operands, schedule, stream, blocking)
    return made, count
