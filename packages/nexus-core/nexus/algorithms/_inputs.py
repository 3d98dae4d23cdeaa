# SPDX-License-Identifier: Apache-2.0
"""The arguments of an expression: buffers of one shape, and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nexus import _checks, _core
from nexus.algorithms import _dtypes
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._expression import Value, sample_of

if TYPE_CHECKING:
    from nexus import Buffer

_PYTHON: dict[str, tuple[type, str]] = {
    "a bool": (bool, "nexus_bool"),
    "an int": (int, "nexus_int64"),
    "a float": (float, "nxa_real"),
}
_PYTHON_KINDS = {python: kind for kind, (python, _) in _PYTHON.items()}


class Kind(NamedTuple):
    """The kind of an argument.

    Attributes:
        type: a dtype's name. A Python number takes the dtype of the other operand; its type is a
            key of the table above.
    """

    name: str
    is_buffer: bool
    type: str

    @property
    def value(self) -> Value:
        """The argument in an expression: for a buffer, the element i."""
        if self.type in _PYTHON:
            python = _PYTHON[self.type][0]
            return Value(f"v_{self.name}", python(1), self.name if python is int else None)
        code = f"p_{self.name}[i]" if self.is_buffer else f"v_{self.name}"
        return Value(code, sample_of(np.dtype(self.type)))

    @property
    def parameter(self) -> str:
        """The kernel's parameter."""
        if self.is_buffer:
            return f"(NEXUS_GLOBAL const {C_TYPES[self.type]} *, p_{self.name})"
        c_type = _PYTHON[self.type][1] if self.type in _PYTHON else C_TYPES[self.type]
        return f"({c_type}, v_{self.name})"


class Inputs:
    """The arguments of a call.

    Attributes:
        kinds: their kinds, in order.
        operands: the buffers and numbers, in order.
        buffers: the buffers by name.
        shape, size, device: the shape, size and device of all buffers.
    """

    def __init__(self, named: Mapping[str, Any]) -> None:
        self.kinds = tuple(_kind(name, value) for name, value in named.items())
        self.operands = tuple(named.values())
        self.buffers: dict[str, Buffer] = {
            each.name: named[each.name] for each in self.kinds if each.is_buffer
        }
        if not self.buffers:
            raise TypeError(
                "No argument is a nexus.Buffer: give at least one, which sets the result's shape."
            )
        first = next(iter(self.buffers))
        self.shape = self.buffers[first].shape
        self.size = self.buffers[first].size
        for name, each in self.buffers.items():
            if each.shape != self.shape:
                raise ValueError(
                    f"{name} has the shape {each.shape}, and {first} has {self.shape}: they have "
                    "to be equal."
                )
        self.device = _dtypes.device_of(**self.buffers)

    def check_limits(self, limits: Mapping[str, Sequence[str]]) -> None:
        """Raises ValueError if a Python int is out of range for a dtype in which it is used."""
        for kind, value in zip(self.kinds, self.operands, strict=True):
            for dtype in limits.get(kind.name, ()):
                least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
                if not least <= value <= most:
                    raise _checks.wrong_value(
                        kind.name, value, f"it takes part as {dtype}, from {least} to {most}"
                    )


def _kind(name: str, value: object) -> Kind:
    if isinstance(value, _core.Buffer):
        return Kind(name, True, str(_dtypes.buffer(name, value).dtype))
    if type(value) in _PYTHON_KINDS:
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise _checks.wrong_value(
                name, value, "an int has at most 64 bits; numpy.uint64(...) gives a larger one"
            )
        return Kind(name, False, _PYTHON_KINDS[type(value)])
    if isinstance(value, np.generic) and value.dtype.name in C_TYPES:
        return Kind(name, False, value.dtype.name)
    raise _checks.wrong_type(
        name, "a number or a nexus.Buffer (device.create_buffer(array) makes one)", value
    )


def in_order(names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call by name, in the order of names."""
    wanted = f"the arguments are {', '.join(names)}." if names else "there are no arguments."
    if len(args) > len(names):
        raise TypeError(f"{len(args)} arguments are given by position, and {wanted}")
    found = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{name!r} is not an argument of the expression; {wanted}")
        if name in found:
            raise TypeError(f"{name} is given twice: by position and by name.")
        found[name] = value
    missing = [name for name in names if name not in found]
    if missing:
        raise TypeError(f"No value is given for {', '.join(missing)}; {wanted}")
    return {name: found[name] for name in names}
