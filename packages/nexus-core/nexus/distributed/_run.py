# SPDX-License-Identifier: Apache-2.0
"""run(): a task that runs a described schedule on the worker's device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import nexus
from nexus import _checks
from nexus._schedule import _scalar
from nexus._schedule._description import Builder, Part, check_target
from nexus.distributed import _worker

if TYPE_CHECKING:
    from nexus import Argument, Buffer, Device, Library

Key = str | int


def run(
    description: Mapping[str, Any],
    values: Mapping[Key, Any] | None = None,
    outputs: Key | Sequence[Key] | None = None,
) -> Any:
    """Runs a described schedule once on this worker's device, and returns buffers that it wrote.

    Use it as the function of a Dask task. A worker loads the code of a description once. The
    buffers of the schedule are new and filled with zeros, except those in values. Buffers in values
    that the schedule writes are copied first, so a task that Dask repeats starts from the same
    values.

    Args:
        description: the result of Schedule.describe() on a device of the workers' backend and
            architecture. Its code is run as it is: use only sources that you trust.
        values: the values of buffers and numbers of the schedule, by the name of a kernel's
            argument, or by the index of a buffer in `description["buffers"]`. The value of a
            buffer is a Buffer or an array, of its shape and dtype.
        outputs: the names or indices of the buffers to return; None means all buffers that have a
            name and that the schedule writes.

    Returns:
        The buffer if outputs is one name or index, a tuple of buffers if it is a sequence, or a
        dict from names to buffers if it is None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the description is malformed or for another device, a name is unknown or means
            several buffers, or a value does not fit its buffer.
        NexusError: the worker has no device, or the run fails.

    Example:
        >>> import numpy
        >>> device = nexus.get_device("cpu")
        >>> kernel = device.compile('''
        ... NEXUS_KERNEL_BOUNDED(twice, (n), (NEXUS_GLOBAL const float *, x),
        ...                      (NEXUS_GLOBAL float *, y), (int, n)) {
        ...   y[nexus_global_id(0)] = 2 * x[nexus_global_id(0)];
        ... }
        ... ''').get_kernel("twice")
        >>> x, y = (nexus.zeros(3, device=device) for _ in range(2))
        >>> schedule = device.create_schedule()
        >>> _ = schedule.create_command(kernel, [x, y, 3], grid_size=3)
        >>> description = schedule.describe()
        >>> values = {"x": numpy.array([1, 2, 3], numpy.float32)}
        >>> nexus.distributed.run(description, values, "y").numpy().tolist()  # doctest: +SKIP
        [2.0, 4.0, 6.0]
    """
    if not isinstance(description, Mapping):
        raise _checks.wrong_type("description", "the result of Schedule.describe()", description)
    if values is not None and not isinstance(values, Mapping):
        raise _checks.wrong_type("values", "a mapping of names to buffers and numbers", values)
    device = _worker.get_device()
    return _worker.guarded(lambda: _run(device, description, values or {}, outputs))


def _run(
    device: Device, description: Mapping[str, Any], values: Mapping[Key, Any], outputs: Any
) -> Any:
    def load(code: bytes) -> Library:
        return _worker.library(device, code)

    names = _Names(device, Part(description, "description"))
    wanted = names.wanted(outputs)
    given: dict[int, Buffer] = {}
    parts: dict[int, Buffer] = {}
    for key, value in values.items():
        if key in names.scalars and key not in names.buffers:
            description = names.replaced(description, str(key), value)
            continue
        index = names.buffer(key, "values")
        buffer = names.fitting(index, value, f"values[{key!r}]")
        memory = names.whole_memory(index)
        if memory is None:
            parts[index] = buffer
        else:
            given[memory] = buffer
    builder = Builder(device, description, load, given)
    for index, buffer in parts.items():
        target = builder.buffers[index]
        if target is not None:
            target.copy_from(buffer)
    builder.outermost.run()
    found = {key: builder.buffers[index] for key, index in wanted.items()}
    if outputs is None:
        return found
    results = tuple(found.values())
    return results[0] if isinstance(outputs, (str, int)) else results


class _Names:
    """The buffers and numbers of a description, by the names of the kernels' arguments."""

    def __init__(self, device: Device, description: Part) -> None:
        check_target(device, description)
        self._device = device
        self._buffers = description.field("buffers").items()
        self._memories = description.field("memories").items()
        self.buffers: dict[Key, set[int]] = defaultdict(set)
        self.scalars: dict[Key, list[tuple[int, int, int]]] = defaultdict(list)
        self._dtypes: dict[Key, str | None] = {}
        self._written: set[int] = set()  # the numbers of memories
        codes = description.field("codes").items()
        for number, schedule in enumerate(description.field("schedules").items()):
            for at, command in enumerate(schedule.field("commands").items()):
                kind = command.field("type").value
                if kind == "Dispatch":
                    self._dispatch(command, codes, (number, at))
                elif kind in ("Copy", "Fill"):
                    self._write(command.field("dst" if kind == "Copy" else "buffer"))

    def _dispatch(self, command: Part, codes: list[Part], place: tuple[int, int]) -> None:
        code = codes[command.field("code").index(len(codes), "codes")]
        if not isinstance(code.value, bytes):
            code.fail("it has to be bytes")
        name = command.field("kernel")
        with name.blamed():
            kernel = _worker.library(self._device, code.value).get_kernel(name.text())
        described = kernel.arguments or ()
        for at, part in enumerate(command.field("arguments").items()):
            argument = described[at] if at < len(described) else None
            if not isinstance(part.value, Mapping):
                continue
            if "buffer" in part.value:
                index = part.field("buffer").index(len(self._buffers), "buffers")
                if argument is not None and argument.name:
                    self.buffers[argument.name].add(index)
                if not _is_const(argument):
                    self._write(part.field("buffer"))
            elif "scalar" in part.value and argument is not None and argument.name:
                self.scalars[argument.name].append((*place, at))
                self._dtypes[argument.name] = part.field("dtype").optional_text()

    def _write(self, buffer: Part) -> None:
        self._written.add(self._memory(buffer.index(len(self._buffers), "buffers")))

    def _memory(self, buffer: int) -> int:
        return self._buffers[buffer].field("memory").index(len(self._memories), "memories")

    def whole_memory(self, buffer: int) -> int | None:
        """Returns the number of the memory that a buffer covers; None if it is a part of it."""
        part = self._buffers[buffer]
        memory = self._memory(buffer)
        size = self._memories[memory].field("bytes").integer(1)
        covers = part.field("offset").integer() == 0 and part.field("bytes").integer() == size
        return memory if covers else None

    def buffer(self, key: object, parameter: str) -> int:
        """Returns the number of the buffer of a name or index."""
        if isinstance(key, str):
            found = self.buffers.get(key, set())
            if len(found) > 1:
                raise ValueError(
                    f"{parameter} names {key!r}, which is several buffers of the schedule: give "
                    f"an index of description['buffers'] instead, one of {sorted(found)}."
                )
            if not found:
                known = sorted(map(str, {**self.buffers, **self.scalars}))
                raise ValueError(
                    f"{parameter} names {key!r}, which no kernel of the schedule has"
                    f"{_checks.near(key, known)} There are {', '.join(known) or 'no names'}."
                )
            (index,) = found
        else:
            index = _checks.integer(f"a key of {parameter}", key)
            if not 0 <= index < len(self._buffers):
                raise ValueError(
                    f"{parameter} has the index {index}, and the description has "
                    f"{len(self._buffers)} buffers."
                )
        if self._memories[self._memory(index)].field("place").text() == "scratch":
            raise ValueError(
                f"{parameter} has {key!r}, which is a scratch buffer of the schedule: only its "
                "commands can use it."
            )
        return index

    def wanted(self, outputs: object) -> dict[Key, int]:
        """Returns the numbers of the buffers to return, by their keys."""
        if outputs is None:
            single = {key: min(each) for key, each in self.buffers.items() if len(each) == 1}
            return {
                key: index
                for key, index in single.items()
                if (memory := self._memory(index)) in self._written
                and self._memories[memory].field("place").value != "scratch"
            }
        if isinstance(outputs, bool) or not isinstance(outputs, (str, int, Sequence)):
            raise _checks.wrong_type("outputs", "names or indices of buffers", outputs)
        keys: Sequence[Any] = [outputs] if isinstance(outputs, (str, int)) else outputs
        return {key: self.buffer(key, "outputs") for key in keys}

    def fitting(self, index: int, value: Any, label: str) -> Buffer:
        """Returns the value of a buffer, on the device; a copy if the schedule writes it."""
        part = self._buffers[index]
        is_array = isinstance(value, nexus.Buffer) or hasattr(value, "shape")
        if not is_array:
            raise _checks.wrong_type(label, "a nexus.Buffer or an array", value)
        wanted = part.field("shape").lengths(), part.field("dtype").optional_text()
        if not isinstance(value, nexus.Buffer):
            value = self._device.create_buffer(value)
        elif value.device not in (self._device, None) or self._memory(index) in self._written:
            value = self._device.copy_buffer(value)
        if (value.shape, value.dtype) != wanted:
            raise ValueError(
                f"{label} has the shape {value.shape} and the dtype {value.dtype}, and the buffer "
                f"of the schedule has {wanted[0]} and {wanted[1]}."
            )
        made: Buffer = value.ascontiguous()
        return made

    def replaced(self, description: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
        """Returns the description with another value of a scalar argument."""
        if hasattr(value, "item"):
            value = value.item()
        try:
            _scalar.data_of(value, self._dtypes[name])
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"values[{name!r}]: {error}") from None
        schedules = list(description["schedules"])
        for number, command, argument in self.scalars[name]:
            commands = list(schedules[number]["commands"])
            arguments = list(commands[command]["arguments"])
            arguments[argument] = {**arguments[argument], "scalar": value}
            commands[command] = {**commands[command], "arguments": arguments}
            schedules[number] = {**schedules[number], "commands": commands}
        return {**description, "schedules": schedules}


def _is_const(argument: Argument | None) -> bool:
    """Returns whether a kernel only reads a buffer."""
    return argument is not None and "const" in argument.type.partition("*")[0].split()
