# SPDX-License-Identifier: Apache-2.0
"""Implements nexus.run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nexus import _checks, _core
from nexus._arrays._values import named_dtype
from nexus._compile._program import Program

if TYPE_CHECKING:
    from nexus import Argument, Buffer, Device, Kernel, ProgramOptions

    Array = np.ndarray[Any, Any]


def run(
    source: object,
    inputs: object,
    outputs: object,
    grid_size: Any,
    device: object,
    kernel: object,
    group_size: Any,
    language: str | None,
    options: ProgramOptions | None,
) -> Any:
    """See nexus.run."""
    if not isinstance(device, _core.Device):
        raise _checks.wrong_type("device", "a nexus.Device, a selector or None", device)
    program = _program(source, language, options)
    launched = choose_kernel(device.load_library(program.compile(device)), kernel)
    parameters = Parameters(launched)
    wanted = _outputs(parameters, outputs)
    values = _inputs(parameters, inputs, wanted)
    for position, made in wanted.items():
        if made is not None:
            values[position] = parameters.new_array(position, made)
    bound = parameters.bind(device, values)
    schedule = device.create_schedule()
    command = schedule.create_command(launched)
    for position, (value, is_local) in bound.items():
        if is_local:
            command.set_local_memory(position, value)
        else:
            command.set_arg(position, value)
    command.finalize(group_size, grid_size)
    schedule.run()
    results = tuple(bound[position][0].numpy() for position in wanted)
    return results[0] if len(results) == 1 else results


def choose_kernel(library: _core.Library, name: object) -> Kernel:
    """Returns the kernel of that name; for None the only one."""
    if name is not None:
        return library.get_kernel(_checks.text("kernel", name, empty="name one"))
    found = library.get_kernels()
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.name for each in found)
    if not found:
        raise ValueError("No kernel is named, and the program lists none: name one as kernel.")
    raise ValueError(f"The program has {len(found)} kernels: name one of {names} as kernel.")


class Parameters:
    """A kernel's arguments, and the conversion of values to them.

    A position is the index of an argument, from 0 on.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel.name
        self.described: tuple[Argument, ...] | None = kernel.arguments

    def position(self, key: object, parameter: str) -> int:
        """Returns the position of an argument given by name or position."""
        if isinstance(key, str):
            names = [each.name for each in self.described or ()]
            if key in names:
                return names.index(key)
            told = None if self.described is None else names
            _checks.refuse_argument_name(parameter, key, self.kernel, told)
        number = _checks.integer(f"a key of {parameter}", key)
        count = 64 if self.described is None else len(self.described)
        if not 0 <= number < count:
            raise ValueError(
                f"{parameter} has the number {number}, and the kernel '{self.kernel}' takes "
                f"{self.listing()}, counted from 0."
            )
        return number

    def listing(self) -> str:
        """Returns the arguments' names: 'x, y, a, n'."""
        if self.described is None:
            return "at most 64 arguments"
        names = [each.name or f"number {at}" for at, each in enumerate(self.described)]
        return ", ".join(names) if names else "no arguments"

    def label(self, position: int) -> str:
        """Returns an argument's name for errors: "argument 1 ('y')"."""
        if self.described is None or not self.described[position].name:
            return f"argument {position}"
        return f"argument {position} ('{self.described[position].name}')"

    def at(self, position: int) -> Argument | None:
        """Returns the kernel's description of an argument."""
        return None if self.described is None else self.described[position]

    def new_array(self, position: int, made: Any) -> Array:
        """Returns an array of zeros, by a shape, a shape and a dtype, or an array."""
        label = f"outputs: {self.label(position)}"
        known = self.at(position)
        if known is not None and known.kind not in ("buffer", "unknown"):
            raise TypeError(f"{label} is {_kind_text(known)}, which can't be an output.")
        dtype: Any = known.dtype if known is not None else None
        if hasattr(made, "shape") and hasattr(made, "dtype"):
            return np.zeros(made.shape, _numpy_dtype(label, made.dtype))
        shape: Any = made
        if isinstance(made, tuple) and len(made) == 2 and not hasattr(made[1], "__index__"):
            shape, dtype = made
        if dtype is None:
            raise TypeError(
                f"{label}: the kernel does not describe its elements; give a shape and a "
                "dtype, such as ((16,), 'float32'), or an example array."
            )
        return np.zeros(_shape(label, shape), _numpy_dtype(label, dtype))

    def bind(self, device: Device, values: Mapping[int, Any]) -> dict[int, tuple[Any, bool]]:
        """Returns for each argument a buffer, a number, or bytes of local memory (marked True)."""
        count = max(values, default=-1) + 1 if self.described is None else len(self.described)
        missing = [self.label(at) for at in range(count) if at not in values]
        if missing:
            raise TypeError(
                f"inputs lacks {', '.join(missing)}: the kernel '{self.kernel}' takes "
                f"{self.listing()}."
            )
        return {at: self._bound(device, at, values[at]) for at in range(count)}

    def _bound(self, device: Device, position: int, value: Any) -> tuple[Any, bool]:
        known, label = self.at(position), self.label(position)
        if known is not None and known.kind == "unknown":
            known = None
        if known is not None and known.kind == "local_memory":
            if not hasattr(value, "__index__") or isinstance(value, (bool, np.ndarray)):
                raise _checks.wrong_type(
                    label, "the number of bytes of a group's local memory (int)", value
                )
            return value, True
        is_array = isinstance(value, _core.Buffer) or getattr(value, "shape", ()) != ()
        if known is not None and known.kind == "scalar":
            if is_array and (known.dtype is not None or isinstance(value, _core.Buffer)):
                wanted = f"a number ({known.type or known.dtype})"
                if known.dtype is None:
                    wanted = f"the value of a {known.type}"
                raise _checks.wrong_type(label, wanted, value)
            return value, False
        if known is not None and not is_array and not isinstance(value, np.ndarray):
            raise _checks.wrong_type(label, f"an array of {known.dtype or 'any dtype'}", value)
        if known is None and not is_array:
            return value, False
        return self._buffer(device, position, value), False

    def _buffer(self, device: Device, position: int, value: Any) -> Buffer:
        known, label = self.at(position), self.label(position)
        if isinstance(value, np.ndarray):
            # asanyarray keeps masked arrays, which are refused; ascontiguousarray makes () a (1,)
            value = np.asanyarray(value, order="C")
        if isinstance(value, _core.Buffer):
            made = value
        else:
            try:
                made = device.create_buffer(value)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{label}: {error}") from None
        wanted = None if known is None else known.dtype
        if wanted is not None and made.dtype is not None and wanted != made.dtype:
            raise TypeError(
                f"{label} has elements of {made.dtype}, and the kernel's are {wanted}: convert the "
                f"array with astype('{wanted}') first."
            )
        return made


def _program(source: object, language: str | None, options: ProgramOptions | None) -> Program:
    if isinstance(source, Program):
        if language is not None or options is not None:
            raise TypeError("source is a nexus.Program, which has its language and options.")
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise _checks.wrong_type(
            "source", "the text of a program, the path of a file or a nexus.Program", source
        )
    return Program(source, "nexus" if language is None else language, options=options)


def _outputs(parameters: Parameters, given: object) -> dict[int, Any]:
    """Returns the recipe of each output, by position; None for an input that is returned."""
    if isinstance(given, str) or not isinstance(given, (Mapping, Sequence)):
        given = (given,)
    pairs = given.items() if isinstance(given, Mapping) else ((key, None) for key in given)
    wanted: dict[int, Any] = {}
    for key, made in pairs:
        if not isinstance(key, str) and not (
            hasattr(key, "__index__") and not isinstance(key, bool)
        ):
            raise _checks.wrong_type(
                "outputs", "the names of arguments, or a mapping of them to shapes", key
            )
        position = parameters.position(key, "outputs")
        if position in wanted:
            raise ValueError(f"outputs names {parameters.label(position)} twice.")
        wanted[position] = made
    if not wanted:
        raise ValueError("outputs is empty: name the arguments to return.")
    return wanted


def _inputs(parameters: Parameters, given: object, wanted: Mapping[int, Any]) -> dict[int, Any]:
    """Returns the values by position."""
    made = {position for position, each in wanted.items() if each is not None}
    if isinstance(given, Mapping):
        values = {parameters.position(key, "inputs"): value for key, value in given.items()}
    else:
        if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
            raise _checks.wrong_type(
                "inputs", "a list or tuple of arrays and numbers, or a mapping by name", given
            )
        values = _in_order(parameters, given, made)
    for position in made & values.keys():
        raise TypeError(
            f"{parameters.label(position)} is in inputs, and outputs gives its shape: for an array "
            "that the kernel reads and writes, only name it in outputs."
        )
    for position in wanted.keys() - made:
        value = values.get(position)
        if isinstance(value, (list, tuple)):
            raise _checks.wrong_type(parameters.label(position), "an array", value)
        is_number = getattr(value, "shape", ()) == () and not isinstance(value, np.ndarray)
        if value is not None and is_number:
            raise TypeError(
                f"outputs names {parameters.label(position)}, which is a number in inputs: "
                "give an array."
            )
    return values


def _in_order(parameters: Parameters, given: Sequence[Any], made: set[int]) -> dict[int, Any]:
    count = len(given) + len(made) if parameters.described is None else len(parameters.described)
    free = [position for position in range(count) if position not in made]
    if len(given) != len(free):
        besides = " besides outputs" if made else ""
        raise TypeError(
            f"inputs has {len(given)} value{'' if len(given) == 1 else 's'}, and the kernel "
            f"'{parameters.kernel}' takes {len(free)}{besides}: "
            f"{', '.join(parameters.label(position) for position in free) or 'nothing'}."
        )
    return dict(zip(free, given, strict=True))


def _kind_text(argument: Argument) -> str:
    return "a number" if argument.kind == "scalar" else "local memory"


def _shape(label: str, shape: Any) -> tuple[int, ...]:
    lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
    checked = tuple(_checks.integer(f"{label}: a length", each) for each in lengths)
    if min(checked, default=0) < 0:
        raise _checks.wrong_value(f"{label}: the shape", shape, "it needs lengths of at least 0")
    return checked


def _numpy_dtype(label: str, dtype: Any) -> np.dtype[Any]:
    return named_dtype(_core.dtype_name(dtype, f"{label}: the dtype"))
