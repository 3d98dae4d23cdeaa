# SPDX-License-Identifier: Apache-2.0
"""Prefix sums and other scans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks
from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._expression import Expression
from nexus.algorithms._inputs import Inputs, Kind
from nexus.algorithms._recorder import Operand, Recorder, chunks_of, perform
from nexus.algorithms._reduce import compile_combine, compile_map, sum_dtype

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream
    from nexus._types import DTypeLike, Number

_TILE = 1024


def scan(
    x: Buffer,
    expression: str = "a + b",
    *,
    exclusive: bool = False,
    starts: Buffer | None = None,
    identity: Number | None = None,
    dtype: DTypeLike | None = None,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Combines each element with all elements before it, like numpy.cumsum().

    Returns a buffer with the shape of x.

    Args:
        expression: combines two values, a and b. It must be associative and commutative.
        exclusive: each result combines only the elements before its own.
        starts: a buffer with the shape of x that is not 0 if a segment starts. Each result then
            combines only elements of its segment.
        identity: the neutral value of expression, with which an exclusive scan starts. Optional
            for 'a + b', 'a * b', 'min(a, b)' and 'max(a, b)'.
        dtype: the dtype of the results; None takes that of x, or of `sum()` for 'a + b'.
        out, schedule, stream, blocking: see `nexus.algorithms`. out may be x.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> nexus.algorithms.scan(x).numpy()
        array([3, 4, 6])
        >>> nexus.algorithms.scan(x, exclusive=True).numpy()
        array([0, 3, 4])
    """
    named = {"x": x} if starts is None else {"x": x, "starts": starts}
    inputs = Inputs({name: _dtypes.buffer(name, each) for name, each in named.items()})
    exclusive = _checks.boolean("exclusive", exclusive)
    key = Expression("expression", expression, assigns=False).key()
    kind = inputs.kinds[0].type
    if dtype is not None or key in ("a + b", "b + a"):
        kind = sum_dtype(x, dtype)
    if identity is None:
        if key not in _IDENTITIES:
            raise ValueError(f"expression is {expression!r}: give its identity too.")
        start = _identity(key, np.dtype(kind))
    else:
        start = _checks.number("identity", identity, kind)
    result = _dtypes.output("out", out, inputs.device, inputs.shape, kind)
    types = tuple(each.type for each in inputs.kinds)
    code = compile_combine(expression, kind)

    def record(recorder: Recorder, values: Operand, *rest: Operand) -> None:
        *given, first, target = rest
        flags = given[0] if given else values
        record_scan(recorder, values, flags, target, first, inputs.size,
                    types=types, kind=kind, code=code, exclusive=exclusive)  # fmt: skip

    signature = ("scan", code, types, kind, exclusive, inputs.size)
    operands = (*inputs.operands, start, result)
    perform(inputs.device, signature, record, operands, schedule, stream, blocking)
    return result


def record_scan(
    recorder: Recorder,
    values: Any,
    flags: Any,
    target: Any,
    identity: Any,
    size: int,
    *,
    types: tuple[str, ...],
    kind: str,
    code: str | None = None,
    element: str | None = None,
    exclusive: bool = True,
) -> None:
    """Appends a scan.

    Args:
        values, flags, target: buffers or operands; flags is used if types has two entries.
        types: the dtype of values and, in a segmented scan, of flags.
        kind: the dtype of the results.
        code, element: the code of the combination, and of an element; None adds the values.
    """
    if element is None:
        element = compile_map("x", (Kind("x", True, types[0]),), kind)[1]
    segmented = len(types) > 1
    defines: dict[str, str | int] = {
        "T": C_TYPES[kind],
        "X": C_TYPES[types[0]],
        "F": C_TYPES[types[-1]],
        "COMBINE": code or compile_combine("a + b", kind),
        "ELEMENT(i)": element,
        "START(i)": "(p_f[i] != 0)" if segmented else "0",
        "SEGMENTED": int(segmented),
        "EXCLUSIVE": int(exclusive),
    }
    groups, chunk = chunks_of(size, _TILE)
    totals, started = recorder.scratch(groups, kind), recorder.scratch(groups, "int32")
    kernel = recorder.kernel("scan.c", "scan_totals", defines)
    given = (values, flags, totals, started, identity)
    recorder.launch(kernel, (*given, size, chunk), groups=groups)
    kernel = recorder.kernel("scan.c", "scan_chunks", defines)
    recorder.launch(kernel, (*given, target, size, chunk), groups=groups)


_IDENTITIES = ("a + b", "b + a", "a * b", "b * a", "min(a, b)", "min(b, a)", "max(a, b)",
               "max(b, a)")  # fmt: skip


def _identity(key: str, dtype: np.dtype[Any]) -> Any:
    """Returns the neutral value."""
    if "+" in key or "*" in key:
        return dtype.type(1 if "*" in key else 0)
    largest = "min" in key
    if dtype.kind == "f":
        return dtype.type(np.inf if largest else -np.inf)
    if dtype.kind == "b":
        return dtype.type(largest)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if largest else limits.min)
