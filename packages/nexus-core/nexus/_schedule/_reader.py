# SPDX-License-Identifier: Apache-2.0
"""Reads the recorded commands of schedules, and numbers the objects that the commands share."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from nexus import _core
from nexus._schedule import _scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nexus import Command, Device, Event, Kernel, Schedule

CONDITIONS = ("If", "While", "Switch")

_COOPERATIVE, _PROGRAMMATIC = 1, 2  # NXS_LaunchFlags_*


def predecessors(command: Command) -> list[int]:
    """Returns the indices of the commands that a command follows."""
    return command.get_property_int_vec("Predecessors")


class _Read:
    """A schedule, its commands, and the commands that were read."""

    __slots__ = ("commands", "inner", "records", "schedule")

    def __init__(self, schedule: Schedule, commands: Sequence[Command] | None) -> None:
        self.schedule = schedule
        self.commands = commands
        self.records: list[dict[str, Any]] = []
        self.inner: list[Schedule] = []  # nested in the newest record, still to be read


class Reader:
    """A schedule and those nested in it.

    Attributes:
        device: the schedules' device.
        schedules: the outermost first; each before the schedules that it contains.
        commands: the commands of each schedule; None for a closed schedule.
        records: the commands of each schedule as in a description, kernels without their code.
        memories, buffers, events: the lists of a description, in the order of their first use.
        codes: likewise, the codes that code_of() returned.
    """

    def __init__(self, outermost: Schedule) -> None:
        self.device: Device = outermost.device
        self.memories: list[dict[str, Any]] = []
        self.buffers: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.codes: list[bytes] = []
        self._numbers: dict[Any, int] = {}
        read = self._walk(outermost)
        read.reverse()  # so each comes before those that it contains
        self.schedules = [each.schedule for each in read]
        self.commands = [each.commands for each in read]
        self.records = [each.records for each in read]
        numbers = {schedule: number for number, schedule in enumerate(self.schedules)}
        for record in itertools.chain.from_iterable(self.records):
            if record["type"] == "Schedule":
                record["schedule"] = numbers[record["schedule"]]
            elif "bodies" in record:
                record["bodies"] = [numbers[each] for each in record["bodies"]]

    def _walk(self, outermost: Schedule) -> list[_Read]:
        """Reads each schedule at its first place; returns them in the order of their ends."""
        ended: list[_Read] = []
        begun = {outermost}
        walk = [_Read(outermost, outermost.get_commands())]
        while walk:
            now = walk[-1]
            if now.inner:
                nested = now.inner.pop(0)
                if nested not in begun:
                    begun.add(nested)
                    walk.append(_Read(nested, commands_of(nested)))
                continue
            commands = now.commands or ()
            if len(now.records) == len(commands):
                ended.append(walk.pop())
                continue
            now.records.append(self._record(commands[len(now.records)], len(now.records)))
            record = now.records[-1]
            now.inner = (
                [record["schedule"]] if "schedule" in record else [*record.get("bodies", ())]
            )
        return ended

    def _record(self, command: Command, index: int) -> dict[str, Any]:
        told = json.loads(_core.describe_command(command))
        after = predecessors(command)
        in_a_row = after == ([index - 1] if index > 0 else [])
        common = {"enabled": told["enabled"], "after": None if in_a_row else after}
        return {**self._fields(command, told), **common}

    def _fields(self, command: Command, told: dict[str, Any]) -> dict[str, Any]:
        kind: str = told["type"]
        if kind == "Dispatch":
            arguments = [self._argument(each) for each in told["arguments"]]
            launch = self._launch(told.get("launch"))
            kernel = told["kernel"]
            return {"type": kind, "kernel": kernel, "arguments": arguments, "launch": launch}
        if kind == "Copy":
            dst, src = map(self._buffer, told["arguments"])
            return {"type": kind, "dst": dst, "src": src}
        if kind == "Fill":
            (number,) = map(self._buffer, told["arguments"])
            pattern = bytes.fromhex(told["pattern"])
            value = _scalar.number(pattern, self.buffers[number]["dtype"] or "uint8")
            return {"type": kind, "buffer": number, "value": value}
        if kind in ("Signal", "Wait"):
            event = self._event(command.get_event())
            return {"type": kind, "event": event, "value": told["value"], "step": told["step"]}
        if kind == "Schedule":
            return {"type": kind, "schedule": command.get_schedule()}
        if kind in CONDITIONS:
            (number,) = map(self._buffer, told["arguments"])
            most = {"max_count": told.get("max_count")} if kind == "While" else {}
            return {"type": kind, "buffer": number, "bodies": [*command.get_bodies()], **most}
        return {"type": kind, "buffers": [self._buffer(each) for each in told.get("arguments", ())]}

    def code_of(self, kernel: Kernel) -> int:
        """Returns the number of the code of a kernel's library."""
        if kernel not in self._numbers:
            code = _core.kernel_code(kernel)
            self._numbers[kernel] = self._number(code, self.codes, code)
        return self._numbers[kernel]

    def _argument(self, told: dict[str, Any] | None) -> dict[str, Any] | None:
        if told is None:
            return None
        if "local_memory" in told:
            return {"local_memory": told["local_memory"]}
        if "data" in told:
            dtype = _dtype(told)
            return {"scalar": _scalar.number(bytes.fromhex(told["data"]), dtype), "dtype": dtype}
        return {"buffer": self._buffer(told)}

    def _buffer(self, told: dict[str, Any]) -> int:
        shape = told["shape"]
        device, identity, scratch = told["device"], told["memory"], told["scratch"]
        place = device or "system"
        if device == self.device.selector:
            place = "scratch" if scratch else "device"
        memory = {"bytes": told["memory_size"], "place": place}
        buffer = {
            "memory": self._number(("memory", device, identity, scratch), self.memories, memory),
            "offset": told["offset"],
            "bytes": told["size"],
            "shape": shape,
            "dtype": _dtype(told),
        }
        key = ("buffer", *(tuple(shape) if each is shape else each for each in buffer.values()))
        return self._number(key, self.buffers, buffer)

    def _event(self, event: Event) -> int:
        place = "device" if event.device == self.device else event.device.selector
        return self._number(event, self.events, {"type": event.type.name, "place": place})

    @staticmethod
    def _launch(told: dict[str, Any] | None) -> dict[str, Any] | None:
        if told is None:
            return None
        return {
            "group_size": told["group_size"] if any(told["group_size"]) else None,
            "grid_size": told["grid_size"],
            "local_memory": told["local_memory"],
            "cluster_size": told["cluster_size"] if any(told["cluster_size"]) else None,
            "cooperative_launch": bool(told["flags"] & _COOPERATIVE),
            "programmatic_launch": bool(told["flags"] & _PROGRAMMATIC),
        }

    def _number(self, key: Any, values: list[Any], value: Any) -> int:
        """Returns the index of a value in its list; appends a new value."""
        if key not in self._numbers:
            self._numbers[key] = len(values)
            values.append(value)
        return self._numbers[key]


def _dtype(told: dict[str, Any]) -> str | None:
    return None if told["data_type"] == "undefined" else told["data_type"]


def commands_of(schedule: Schedule) -> Sequence[Command] | None:
    """Returns the commands; None if the schedule was closed."""
    try:
        return schedule.get_commands()
    except RuntimeError:
        return None
