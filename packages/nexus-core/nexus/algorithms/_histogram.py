# SPDX-License-Identifier: Apache-2.0
"""Histograms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks, _core
from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, chunks_of, perform

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

_MOST_LOCAL = 4096  # bins that a group counts in its local memory
_MOST = 1 << 24
_LEAST_CHUNK = 1 << 16


def histogram(
    x: Buffer,
    bins: int,
    range: tuple[float, float],
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Counts the elements in bins of equal width, like numpy.histogram().

    Returns a buffer of int64.

    Args:
        bins: the number of bins.
        range: the lower edge of the first bin and the upper edge of the last. Elements outside are
            not counted; the last bin includes its upper edge.
        out, schedule, stream, blocking: see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([1, 1, 2, 5], "int32"))
        >>> nexus.algorithms.histogram(x, 3, (0, 6)).numpy()
        array([2, 1, 1])
    """
    x = _dtypes.buffer("x", x)
    bins = _checks.integer("bins", bins)
    if not 1 <= bins <= _MOST:
        raise _checks.wrong_value("bins", bins, f"it has to be from 1 to {_MOST}")
    least, most = _range(range)
    device = _dtypes.device_of(x=x)
    result = _dtypes.output("out", out, device, (bins,), "int64")
    kind, size = x.dtype or "", x.size
    # numpy's edges have the precision of the elements.
    edges = np.histogram_bin_edges(np.empty(0, kind), bins, (least, most))
    edges = edges.astype(_dtypes.real_of(device))
    least, most = float(edges[0]), float(edges[-1])
    local = bins <= _MOST_LOCAL

    def record(recorder: Recorder, values: Operand, bounds: Operand, *rest: Operand) -> None:
        target, *numbers = rest
        defines: dict[str, str | int] = {
            "X": C_TYPES[kind],
            "R": "nxa_real",
            "BINS": bins,
            "LOCAL_BINS": bins if local else 1,
        }
        groups, chunk = chunks_of(size, least=max(_LEAST_CHUNK, 16 * bins))
        counts = recorder.scratch(bins * (groups if local else 1), "uint32")
        if not local:
            recorder.fill(counts, 0)
        kernel = recorder.kernel("histogram.c", "histogram_chunks", defines)
        recorder.launch(kernel, (values, bounds, counts, *numbers, size, chunk), groups=groups)
        total = recorder.kernel("histogram.c", "histogram_sum", defines)
        recorder.launch(total, (counts, target, groups if local else 1), items=bins)

    scale = bins / (most - least)
    operands = (x, device.create_buffer(edges), result, least, most, scale)
    key = ("histogram", kind, bins, size)
    perform(device, key, record, operands, schedule, stream, blocking)
    return result


def _range(given: Any) -> tuple[float, float]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise _checks.wrong_type("range", "a tuple of two numbers", given)
    for each in given:
        if isinstance(each, _core.Buffer) or not isinstance(each, (int, float, np.number)):
            raise _checks.wrong_type("range", "a tuple of two numbers", given)
    least, most = (float(each) for each in given)
    if not (math.isfinite(least) and math.isfinite(most) and least < most):
        raise _checks.wrong_value(
            "range", given, "it has to be two finite numbers, the smaller one first"
        )
    return least, most
