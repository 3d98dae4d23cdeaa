# SPDX-License-Identifier: Apache-2.0
"""Reductions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks
from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._expression import Expression, Value, sample_of, text_of
from nexus.algorithms._inputs import Inputs, Kind, in_order
from nexus.algorithms._recorder import NARROW, Operand, Recorder, chunks_of, perform

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream
    from nexus._types import DTypeLike, Number


def reduce(
    expression: str,
    *args: Any,
    map: str | None = None,
    initial: Number | None = None,
    dtype: DTypeLike | None = None,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
    **named: Any,
) -> Buffer:
    """Combines all elements into one value. Returns a buffer of shape ().

    Args:
        expression: combines two values, a and b, such as 'a + b' or 'max(a, b)'. The elements are
            not combined in their own order, but the order is the same in each call.
        args, named: the array; or the arguments of map, as for `elementwise()`.
        map: an expression of the arguments whose values are combined, such as 'x * y'.
        initial: one more value to combine; it is the result if there are no elements.
        dtype: the dtype of the values; None takes the dtype of map, or of the array.
        out, schedule, stream, blocking: see `nexus.algorithms`.

    Raises:
        ValueError: there are no elements and no initial, or an expression is invalid.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.arange(4, dtype="float32"))
        >>> float(nexus.algorithms.reduce("a + b", x, x, map="x * y").numpy())
        14.0
    """
    text_of("expression", expression)
    if map is not None:
        names = Expression("map", map, assigns=False).inputs
    else:
        map, names = "x", ("x",)  # noqa: A001
    inputs = Inputs(in_order(names, args, named))
    made = None if dtype is None else _dtypes.named("dtype", dtype)
    return _reduced(expression, map, inputs, initial, made, out, schedule, stream, blocking)


def sum(  # noqa: A001
    x: Buffer,
    *,
    dtype: DTypeLike | None = None,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Adds all elements. Returns a buffer of shape ().

    Args:
        dtype: the dtype of the sum; None takes numpy's: 64 bits for integers, else the dtype of x.
        out, schedule, stream, blocking: see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.arange(5, dtype="int32"))
        >>> int(nexus.algorithms.sum(x).numpy())
        10
    """
    inputs = Inputs({"x": x})
    made = sum_dtype(x, dtype)
    return _reduced("a + b", "x", inputs, 0, made, out, schedule, stream, blocking)


def sum_dtype(x: Buffer, dtype: DTypeLike | None) -> str:
    """Returns the name of the dtype of sums."""
    return _dtypes.named("dtype", dtype) if dtype is not None else _sum_of(x.dtype)


@functools.cache
def _sum_of(name: str) -> str:
    made: str = sample_of(np.dtype(name)).sum().dtype.name
    return made


def min(  # noqa: A001
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the smallest element in a buffer of shape (); NaN if any element is NaN.

    Raises ValueError if there are no elements. For the parameters see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> int(nexus.algorithms.min(x).numpy())
        1
    """
    inputs = Inputs({"x": x})
    return _reduced("min(a, b)", "x", inputs, None, None, out, schedule, stream, blocking)


def max(  # noqa: A001
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the largest element in a buffer of shape (); NaN if any element is NaN.

    Raises ValueError if there are no elements. For the parameters see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> int(nexus.algorithms.max(x).numpy())
        3
    """
    inputs = Inputs({"x": x})
    return _reduced("max(a, b)", "x", inputs, None, None, out, schedule, stream, blocking)


def argmin(
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the index of the first smallest element, or of the first NaN, in an int64 buffer.

    The index is into the flattened array; the buffer has shape (). Raises ValueError if there are
    no elements. For the parameters see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> int(nexus.algorithms.argmin(x).numpy())
        1
    """
    return _index("less", x, out, schedule, stream, blocking)


def argmax(
    x: Buffer,
    *,
    out: Buffer | None = None,
    schedule: Schedule | None = None,
    stream: Stream | None = None,
    blocking: bool = True,
) -> Buffer:
    """Returns the index of the first largest element, or of the first NaN, in an int64 buffer.

    The index is into the flattened array; the buffer has shape (). Raises ValueError if there are
    no elements. For the parameters see `nexus.algorithms`.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.array([3, 1, 2]))
        >>> int(nexus.algorithms.argmax(x).numpy())
        0
    """
    return _index("greater", x, out, schedule, stream, blocking)


@functools.lru_cache(maxsize=256)
def compile_map(text: str, kinds: tuple[Kind, ...], dtype: str | None) -> tuple[str, str, Any]:
    """Returns the dtype of an expression's values, their code, and the limits of Python ints."""
    made = Expression("map", text, assigns=False).compile({each.name: each.value for each in kinds})
    (value,) = made.values
    kind = np.dtype(dtype) if dtype else value.dtype
    if not np.can_cast(value.dtype, kind, "same_kind"):
        raise TypeError(
            f"dtype is {kind.name}, and the values are {value.dtype.name}: leave dtype out, or "
            f"convert the values with astype('{kind.name}') first."
        )
    return kind.name, made.cast(value, kind), made.limits


@functools.lru_cache(maxsize=256)
def compile_combine(text: str, dtype: str) -> str:
    """Returns the code that combines v_a and v_b."""
    expression = Expression("expression", text, assigns=False)
    for name in expression.inputs:
        if name not in ("a", "b"):
            raise ValueError(
                f"expression is {text!r}: it uses {name!r}, but the values are named a and b."
            )
    kind = np.dtype(dtype)
    made = expression.compile({name: Value(f"v_{name}", sample_of(kind)) for name in ("a", "b")})
    (value,) = made.values
    if not np.can_cast(value.dtype, kind, "same_kind"):
        raise TypeError(
            f"expression is {text!r}, which makes {value.dtype.name} of two {dtype}: give a dtype."
        )
    return made.cast(value, kind)


def _reduced(
    combine: str,
    text: str,
    inputs: Inputs,
    initial: Any,
    dtype: str | None,
    out: Buffer | None,
    schedule: Schedule | None,
    stream: Stream | None,
    blocking: bool,
) -> Buffer:
    kind, element, limits = compile_map(text, inputs.kinds, dtype)
    inputs.check_limits(limits)
    code = compile_combine(combine, kind)
    if inputs.size == 0 and initial is None:
        raise ValueError(
            f"{next(iter(inputs.buffers))} is empty, so there is no result: pass initial to "
            "reduce(), or an array with elements."
        )
    start = np.dtype(kind).type(0) if initial is None else _checks.number("initial", initial, kind)
    result = _dtypes.output("out", out, inputs.device, (), kind)

    def record(recorder: Recorder, *operands: Operand) -> None:
        *given, first, target = operands
        groups, chunk = chunks_of(inputs.size)
        defines: dict[str, str | int] = {
            "T": C_TYPES[kind],
            "COMBINE": code,
            "ELEMENT(i)": element,
            "INPUTS": ", ".join(each.parameter for each in inputs.kinds),
        }
        partials = recorder.scratch(groups, kind)
        kernel = recorder.kernel("reduce.c", "reduce_chunks", defines, (NARROW,))
        recorder.launch(kernel, (*given, partials, inputs.size, chunk), groups=groups)
        rest = recorder.kernel("reduce.c", "reduce_rest", defines)
        has_initial = int(initial is not None)
        recorder.launch(rest, (partials, first, has_initial, target, groups), groups=1)

    key = ("reduce", code, element, inputs.kinds, kind, inputs.size, initial is not None)
    operands = (*inputs.operands, start, result)
    perform(inputs.device, key, record, operands, schedule, stream, blocking)
    return result


def _index(
    order: str,
    x: Buffer,
    out: Buffer | None,
    schedule: Schedule | None,
    stream: Stream | None,
    blocking: bool,
) -> Buffer:
    inputs = Inputs({"x": x})
    kind = inputs.kinds[0].type
    if inputs.size == 0:
        raise ValueError("x is empty, so there is no index: pass an array with elements.")
    result = _dtypes.output("out", out, inputs.device, (), "int64")

    def record(recorder: Recorder, values: Operand, target: Operand) -> None:
        groups, chunk = chunks_of(inputs.size)
        number_type = "uint8" if kind == "bool" else kind
        defines: dict[str, str | int] = {"T": C_TYPES[kind], "BEFORE": f"nxa_{order}_{number_type}"}
        best, indices = recorder.scratch(groups, kind), recorder.scratch(groups, "int32")
        kernel = recorder.kernel("index.c", "index_chunks", defines)
        recorder.launch(kernel, (values, best, indices, inputs.size, chunk), groups=groups)
        rest = recorder.kernel("index.c", "index_rest", defines)
        recorder.launch(rest, (best, indices, target, groups), groups=1)

    key = ("index", order, kind, inputs.size)
    perform(inputs.device, key, record, (x, result), schedule, stream, blocking)
    return result
