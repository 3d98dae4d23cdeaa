# SPDX-License-Identifier: Apache-2.0
"""Schedule.describe() and Schedule.from_description(): schedules as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, cast

import nexus
from nexus import _checks, _core, event_type
from nexus._errors import NexusError, NexusValueError, PropertyNotFoundError
from nexus._schedule import _scalar
from nexus._schedule._reader import CONDITIONS, Reader

if TYPE_CHECKING:
    from nexus import Buffer, Device, Event, Kernel, Library, Schedule

_VERSION = 1
_LARGEST = 2**64 - 1
# Failures that are not caused by the description.
_OF_THE_DEVICE = frozenset(
    {
        "NXS_MemObjectAllocationFailure",
        "NXS_OutOfResources",
        "NXS_OutOfHostMemory",
        "NXS_DeviceLost",
        "NXS_DeviceNotAvailable",
    }
)


def describe(schedule: Schedule) -> dict[str, Any]:
    """Returns the recordings of a schedule and of its nested schedules, as plain data."""
    reader = Reader(schedule)
    for each, records in zip(reader.schedules, reader.records, strict=True):
        for index, (command, record) in enumerate(
            zip(each.get_commands(), records, strict=True)
        ):  # get_commands() raises for a closed schedule
            if record["type"] == "Dispatch":
                record["code"] = reader.code_of(command.get_kernel())
            elif record["type"] not in _FIELDS:
                raise NexusValueError(
                    f"Command {index} of {each.get_property_str('Name')} is a {record['type']} "
                    "command, which can't leave this process: describe a schedule without it."
                )
    return {
        "version": _VERSION,
        "backend": reader.device.runtime.name,
        "architecture": _architecture(reader.device),
        "codes": reader.codes,
        "memories": reader.memories,
        "buffers": reader.buffers,
        "events": reader.events,
        "schedules": [{"commands": records} for records in reader.records],
    }


def from_description(device: object, description: object) -> Schedule:
    """Creates the schedule of a description, with new buffers and events."""
    if not isinstance(device, _core.Device):
        raise _checks.wrong_type("device", "a nexus.Device", device)
    if not isinstance(description, Mapping):
        raise _checks.wrong_type("description", "the result of Schedule.describe()", description)
    return Builder(device, description).outermost


def _architecture(device: Device) -> str | None:
    try:
        return device.get_property_str("Architecture")
    except PropertyNotFoundError:
        return None


# The keys of each type of command, beside its type, "enabled" and "after".
_FIELDS = {
    "Dispatch": ("code", "kernel", "arguments", "launch"),
    "Copy": ("dst", "src"),
    "Fill": ("buffer", "value"),
    "Signal": ("event", "value", "step"),
    "Wait": ("event", "value", "step"),
    "Schedule": ("schedule",),
    "If": ("buffer", "bodies"),
    "While": ("buffer", "bodies", "max_count"),
    "Switch": ("buffer", "bodies"),
}
_LAUNCH = (
    "group_size",
    "grid_size",
    "local_memory",
    "cluster_size",
    "cooperative_launch",
    "programmatic_launch",
)


class Part:
    """A value of a description, and its place there."""

    __slots__ = ("place", "value")

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def fail(self, remedy: str) -> NoReturn:
        raise NexusValueError(f"{self.place} is {_checks.shown(self.value)}: {remedy}.")

    def fields(self, *names: str) -> list[Part]:
        """Returns the values of a dict that must have exactly these keys."""
        if not isinstance(self.value, Mapping):
            self.fail("it has to be a dict")
        for name in names:
            if name not in self.value:
                raise NexusValueError(f"{self.place} has no key {name!r}.")
        for key in self.value:
            if key not in names:
                raise NexusValueError(f"{self.place} has the unknown key {_checks.shown(key)}.")
        return [self.field(name) for name in names]

    def field(self, name: str) -> Part:
        """Returns the value of a key of a dict."""
        if not isinstance(self.value, Mapping):
            self.fail("it has to be a dict")
        if name not in self.value:
            raise NexusValueError(f"{self.place} has no key {name!r}.")
        return Part(self.value[name], f"{self.place}[{name!r}]")

    def items(self) -> list[Part]:
        if not isinstance(self.value, (list, tuple)):
            self.fail("it has to be a list")
        return [Part(each, f"{self.place}[{index}]") for index, each in enumerate(self.value)]

    def integer(self, least: int = 0, most: int = _LARGEST) -> int:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.fail(f"it has to be an int from {least} to {most}")
        return value

    def index(self, count: int, what: str) -> int:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
            self.fail(f"it has to be the index of one of the {count} {what}")
        return value

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("it has to be a str")
        return self.value

    def optional_text(self) -> str | None:
        return None if self.value is None else self.text()

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.fail("it has to be a bool")
        return self.value

    def lengths(self) -> tuple[int, ...]:
        return tuple(each.integer() for each in self.items())

    def size(self) -> tuple[int, ...]:
        lengths = self.lengths()
        if len(lengths) != 3:
            self.fail("it has to be a list of three ints")
        return lengths

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Adds the value's place to errors of the body."""
        try:
            yield
        except (NexusError, TypeError, ValueError, OverflowError) as error:
            status = getattr(error, "status", None)
            if status is not None and status.name in _OF_THE_DEVICE:
                raise
            raise NexusValueError(f"{self.place}: {error}", status) from error


def check_target(device: Device, description: Part) -> None:
    """Raises ValueError if a description is not for the device."""
    version = description.field("version")
    if version.value != _VERSION:
        version.fail(f"this version of Nexus reads {_VERSION}")
    backend, architecture = description.field("backend"), description.field("architecture")
    name, selector = device.runtime.name, device.selector
    if backend.text() != name:
        backend.fail(f"the device '{selector}' is of the backend '{name}'")
    if architecture.optional_text() != _architecture(device):
        architecture.fail(f"that of the device '{selector}' is {_architecture(device)!r}")


class Builder:
    """Creates the objects of a description.

    Args:
        load: returns the library for code; None loads the code anew.
        given: buffers to use instead of new ones, by the number of the memory that each covers.
    """

    def __init__(
        self,
        device: Device,
        description: Mapping[str, Any],
        load: Callable[[bytes], Library] | None = None,
        given: Mapping[int, Buffer] | None = None,
    ) -> None:
        self._device = device
        self._load = load or device.load_library
        whole = Part(description, "description")
        check_target(device, whole)
        _, _, _, codes, memories, buffers, events, schedules = whole.fields(
            "version",
            "backend",
            "architecture",
            "codes",
            "memories",
            "buffers",
            "events",
            "schedules",
        )
        self._kernels: dict[tuple[int, str], Kernel] = {}
        self._codes: list[Library] = [self._library(each) for each in codes.items()]
        # The first schedule that uses scratch memory makes it, and the buffers over it.
        given = given or {}
        self._wholes: list[Buffer | int] = [
            given[index] if index in given else self._memory(each)
            for index, each in enumerate(memories.items())
        ]
        self._parts = buffers.items()
        self.buffers: list[Buffer | None] = [self._buffer(each) for each in self._parts]
        self._events: list[Event] = [self._event(each) for each in events.items()]
        parts = schedules.items()
        if not parts:
            schedules.fail("it needs a schedule")
        # A schedule nests only schedules with higher numbers, so those are made first.
        self._schedules: list[Schedule | None] = [None] * len(parts)
        for number in reversed(range(len(parts))):
            self.outermost = device.create_schedule()
            (commands,) = parts[number].fields("commands")
            for each in commands.items():
                self._command(self.outermost, number, each)
            self._schedules[number] = self.outermost

    def _library(self, part: Part) -> Library:
        if not isinstance(part.value, bytes):
            part.fail("it has to be bytes")
        with part.blamed():
            return self._load(part.value)

    def _place(self, part: Part) -> Device:
        if part.text() == "device":
            return self._device
        with part.blamed():
            return nexus.get_device(part.text())

    def _memory(self, part: Part) -> Buffer | int:
        """Makes a buffer over a whole memory; for scratch memory, returns the number of bytes."""
        size, place = part.fields("bytes", "place")
        count = size.integer(1)
        if place.text() == "scratch":
            return count
        with size.blamed():
            if place.text() == "system":
                made = nexus.create_buffer(count)
            else:
                made = self._place(place).create_buffer(count)
            made.fill(0)
        return made

    def _buffer(self, part: Part, schedule: Schedule | None = None) -> Buffer | None:
        """Makes a buffer. Returns None for scratch memory if there is no schedule."""
        memory, offset, size, shape, dtype = part.fields(
            "memory", "offset", "bytes", "shape", "dtype"
        )
        index = memory.index(len(self._wholes), "memories")
        where, lengths = (offset.integer(), size.integer()), shape.lengths()
        name = dtype.optional_text()
        whole = self._wholes[index]
        if isinstance(whole, int):
            if schedule is None:
                return None
            whole = self._wholes[index] = schedule.create_buffer(whole)
        with part.blamed():
            return _core.part_of_memory(whole, *where, name, lengths)

    def _event(self, part: Part) -> Event:
        kind, place = part.fields("type", "place")
        known = event_type.EventType.__members__
        if kind.text() not in known:
            kind.fail(f"it has to be one of {', '.join(known)}")
        with part.blamed():
            return self._place(place).create_event(known[kind.text()])

    def _command(self, schedule: Schedule, number: int, part: Part) -> None:
        kind = part.field("type")
        if kind.text() not in _FIELDS:
            kind.fail(f"it has to be one of {', '.join(_FIELDS)}")
        _, enabled, after, *fields = part.fields("type", "enabled", "after", *_FIELDS[kind.text()])
        if after.value is not None:
            made = schedule.get_commands()
            earlier = [made[each.index(len(made), "earlier commands")] for each in after.items()]
            _core.set_after(schedule, earlier)
        if kind.value == "Dispatch":
            self._dispatch(schedule, part, *fields)
        elif kind.value == "Copy":
            dst, src = map(self._buffer_at, fields)
            with part.blamed():
                schedule.create_copy_command(dst, src)
        elif kind.value == "Fill":
            buffer, value = fields
            filled = self._buffer_at(buffer)
            with value.blamed():
                data = _scalar.data_of(value.value, filled.dtype or "uint8")
                _core.create_fill(schedule, filled, data)
        elif kind.value == "Schedule":
            schedule.create_schedule_command(self._inner(fields[0], number))
        elif kind.value in CONDITIONS:
            self._condition(schedule, number, kind.value, part, *fields)
        else:
            event, value, step = fields
            of = self._events[event.index(len(self._events), "events")]
            add = schedule.create_signal_command
            if kind.value == "Wait":
                add = schedule.create_wait_command
            numbers = value.integer(), step.integer()
            with part.blamed():
                add(of, *numbers)
        if not enabled.boolean():
            schedule.get_commands()[-1].enabled = False

    def _inner(self, part: Part, number: int) -> Schedule:
        """Returns a schedule that schedule `number` contains."""
        nested = self._schedules[part.index(len(self._schedules), "schedules")]
        if nested is None:
            part.fail(f"schedule {number} can contain only later ones")
        return nested

    def _condition(
        self,
        schedule: Schedule,
        number: int,
        kind: str,
        part: Part,
        buffer: Part,
        bodies: Part,
        *max_count: Part,
    ) -> None:
        value = self._buffer_at(buffer)
        inner = [self._inner(each, number) for each in bodies.items()]
        if len(inner) not in {"If": (1, 2), "While": (1,)}.get(kind, (len(inner),)):
            bodies.fail("an If has one or two schedules, and a While one")
        with part.blamed():
            if kind == "If":
                schedule.create_if_command(value, *inner)
            elif kind == "While":
                (most,) = (None if each.value is None else each.integer() for each in max_count)
                schedule.create_while_command(value, *inner, max_count=most)
            else:
                schedule.create_switch_command(value, inner)

    def _buffer_at(self, part: Part) -> Buffer:
        index = part.index(len(self.buffers), "buffers")
        if self.buffers[index] is None:
            self.buffers[index] = self._buffer(self._parts[index], self.outermost)
        return cast("Buffer", self.buffers[index])

    def _dispatch(
        self,
        schedule: Schedule,
        part: Part,
        code: Part,
        name: Part,
        arguments: Part,
        launch: Part,
    ) -> None:
        key = (code.index(len(self._codes), "codes"), name.text())
        if key not in self._kernels:
            with name.blamed():
                self._kernels[key] = self._codes[key[0]].get_kernel(key[1])
        command = schedule.create_command(self._kernels[key])
        for index, each in enumerate(arguments.items()):
            if each.value is not None:
                self._argument(command, index, each)
        if launch.value is None:
            return
        group, grid, local, cluster, cooperative, programmatic = launch.fields(*_LAUNCH)
        sizes = [None if each.value is None else each.size() for each in (group, cluster)]
        with part.blamed():
            command.finalize(
                sizes[0],
                grid.size(),
                local.integer(),
                cluster_size=sizes[1],
                cooperative_launch=cooperative.boolean(),
                programmatic_launch=programmatic.boolean(),
            )

    def _argument(self, command: nexus.Command, index: int, part: Part) -> None:
        if isinstance(part.value, Mapping) and "buffer" in part.value:
            (number,) = part.fields("buffer")
            buffer = self._buffer_at(number)
            with part.blamed():
                command.set_buffer(index, buffer)
        elif isinstance(part.value, Mapping) and "local_memory" in part.value:
            (size,) = part.fields("local_memory")
            with part.blamed():
                command.set_local_memory(index, size.integer(1))
        else:
            value, dtype = part.fields("scalar", "dtype")
            name = dtype.optional_text()
            with part.blamed():
                _core.set_scalar(command, index, _scalar.data_of(value.value, name), name)
