# SPDX-License-Identifier: Apache-2.0
"""Elementwise expressions on arrays."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._expression import Expression
from nexus.algorithms._inputs import Inputs, Kind, in_order
from nexus.algorithms._recorder import NARROW, ROLLED, Operand, Recorder, perform

if TYPE_CHECKING:
    from nexus import Buffer, Schedule, Stream

_GROUP = 256
_BYTES = 16  # bytes of one buffer that a GPU work item loads at once

_PARAMETERS = ("out", "schedule", "stream", "blocking", "self")


class Elementwise:
    """Assignments that are computed for each element of arrays. Created by `elementwise()`."""

    def __init__(self, text: str) -> None:
        self._expression = Expression("expression", text, assigns=True)
        for name in (*self.inputs, *self.outputs):
            if name in _PARAMETERS:
                raise ValueError(
                    f"expression names {name!r}, which is a parameter of the call: choose another "
                    "name."
                )

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return self._expression.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the results, in order."""
        return self._expression.outputs

    def __call__(
        self,
        *args: Any,
        out: Buffer | tuple[Buffer | None, ...] | None = None,
        schedule: Schedule | None = None,
        stream: Stream | None = None,
        blocking: bool = True,
        **named: Any,
    ) -> Any:
        """Computes the expression. Returns the result's buffer, or a tuple of several.

        Args:
            args, named: a buffer or a number for each name that the expression reads. All buffers
                must have the same shape. A Python number takes the dtype of the operand that it
                is combined with, as in numpy.
            out: the buffer for the result, or a tuple of buffers; None creates new ones. It may
                be one of the arguments, and may have another dtype of the same kind.
            schedule, stream, blocking: see `nexus.algorithms`.
        """
        inputs = Inputs(in_order(self.inputs, args, named))
        made = _compile(self._expression.text, inputs.kinds)
        inputs.check_limits(made.limits)
        outs = self._outs(out, inputs, made.dtypes)
        types = tuple(each.dtype or "" for each in outs)

        def record(recorder: Recorder, *operands: Operand) -> None:
            if recorder.on_cpu:
                text = _source(made, inputs.kinds, types, None)
                kernel = recorder.program(text, "elementwise", (NARROW, ROLLED))
                recorder.launch(kernel, (*operands, inputs.size), items=inputs.size)
                return
            wide = max(np.dtype(each.dtype).itemsize for each in inputs.buffers.values())
            count = _BYTES // wide
            kernel = recorder.program(_source(made, inputs.kinds, types, count), "elementwise")
            groups = -(-inputs.size // (_GROUP * count))
            recorder.launch(kernel, (*operands, inputs.size), groups=groups)

        key = (self._expression.text, inputs.kinds, types, inputs.size)
        operands = (*inputs.operands, *outs)
        perform(inputs.device, key, record, operands, schedule, stream, blocking)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def _outs(self, given: Any, inputs: Inputs, dtypes: tuple[str, ...]) -> list[Buffer]:
        parts = given if isinstance(given, tuple) else (given,) if len(dtypes) == 1 else None
        if given is None:
            parts = (None,) * len(dtypes)
        if parts is None or len(parts) != len(dtypes):
            raise TypeError(
                f"out has to be a tuple of {len(dtypes)} buffers, for {', '.join(self.outputs)}."
            )
        outs = []
        for name, value, dtype in zip(self.outputs, parts, dtypes, strict=True):
            label = "out" if len(dtypes) == 1 else f"out for {name}"
            if value is not None:
                held = _dtypes.name_of(label, _dtypes.buffer(label, value))
                if held != dtype and np.can_cast(dtype, held, "same_kind"):
                    dtype = held
            outs.append(_dtypes.output(label, value, inputs.device, inputs.shape, dtype))
        return outs

    def __repr__(self) -> str:
        return f"nexus.algorithms.elementwise({self._expression.text!r})"


def elementwise(expression: str) -> Elementwise:
    """Returns a function that computes an expression for each element of arrays.

    Args:
        expression: an assignment such as 'z = a * x + y', or several, separated by line breaks or
            ';'. The names that it reads are the arguments. It can contain numbers, Python's
            operators, comparisons, `and`, `or`, `not`, `a if c else b`, conversions such as
            `float32(x)`, and the functions in `nexus.algorithms.FUNCTIONS`.

    Raises:
        ValueError: expression has any other form.

    Example:
        >>> import numpy
        >>> x = nexus.get_device("cpu").create_buffer(numpy.arange(4, dtype="float32"))
        >>> nexus.algorithms.elementwise("y = 2 * x + 1")(x).numpy()
        array([1., 3., 5., 7.], dtype=float32)
    """
    return Elementwise(expression)


class _Compiled(NamedTuple):
    """The code of an expression for given kinds of arguments.

    Attributes:
        lines: the statements. results: the variable with the final value of each output.
        dtypes: the dtypes of the results.
        limits: the dtypes in which each Python int is used.
    """

    lines: tuple[str, ...]
    results: tuple[str, ...]
    dtypes: tuple[str, ...]
    limits: dict[str, list[str]]


@functools.lru_cache(maxsize=256)
def _compile(text: str, kinds: tuple[Kind, ...]) -> _Compiled:
    expression = Expression("expression", text, assigns=True)
    made = expression.compile({each.name: each.value for each in kinds})
    lines, last = [], {}
    for number, ((target, _), value) in enumerate(
        zip(expression.statements, made.values, strict=True)
    ):
        last[target] = (f"t{number}", value.dtype.name)
        code = made.cast(value, value.dtype)
        lines.append(f"const {C_TYPES[value.dtype.name]} t{number} = {code};")
    results, dtypes = zip(*(last[name] for name in expression.outputs), strict=True)
    return _Compiled(tuple(lines), results, dtypes, made.limits)


def _source(
    made: _Compiled, kinds: tuple[Kind, ...], types: tuple[str, ...], count: int | None
) -> str:
    """Returns the kernel. A work item computes one element, or count elements on a GPU."""
    outs = [f"(NEXUS_GLOBAL {C_TYPES[each]} *, o{at})" for at, each in enumerate(types)]
    parameters = ", ".join([*(each.parameter for each in kinds), *outs, "(nexus_int32, n)"])
    index = "i" if count is None else f"first + i * {_GROUP}"
    lines = [*made.lines]
    for at, (each, result) in enumerate(zip(types, made.results, strict=True)):
        lines.append(f"o{at}[{index}] = ({C_TYPES[each]}){result};")
    body = "\n  ".join(lines)
    if count is None:
        body = f"const int i = nexus_global_id(0);\n  {body}"
        return f"NEXUS_KERNEL_BOUNDED(elementwise, (n), {parameters}) {{\n  {body}\n}}\n"
    # All elements are loaded before the first is stored: loads that wait for each other would not
    # use the whole memory bandwidth. The copies of the item's own elements have the names of their
    # buffers.
    each = f'_Pragma("unroll") for (int i = 0; i < {count}; ++i)'
    buffers = [(each.name, C_TYPES[each.type]) for each in kinds if each.is_buffer]
    sources = [f"NEXUS_GLOBAL const {kind} *from_{name} = p_{name};" for name, kind in buffers]
    arrays = [f"{kind} p_{name}[{count}];" for name, kind in buffers]
    loads = " ".join(
        f"p_{name}[i] = from_{name}[nexus_imin({index}, n - 1)];" for name, _ in buffers
    )
    return f"""NEXUS_PHASED_KERNEL(elementwise, ({_GROUP}, 1, 1), {parameters}) {{
  NEXUS_STEP {{
  const int first = nexus_group_id(0) * {_GROUP * count} + nexus_local_id(0);
  {" ".join(sources)}
  {{
  {" ".join(arrays)}
  {each} {{ {loads} }}
  {each} if ({index} < n) {{
  {body}
  }}
  }}
  }}
}}
"""
