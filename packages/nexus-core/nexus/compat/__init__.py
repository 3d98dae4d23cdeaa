# SPDX-License-Identifier: Apache-2.0
"""The API of the original, kernelize-ai/nexus, where its names or meanings differ from ours.

    import nexus.compat as nexus

    device = nexus.get_runtime("cpu").get_device(0)
    command = device.create_schedule().create_command(kernel, [a, b, c])
    command.finalize([32], [256])  # 32 groups of 256 work items

Everything else works as in plain Nexus: the objects here wrap objects of plain Nexus and have all
of their members. docs/coming-from-the-original.md lists the differences.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import nexus
from nexus._checks import integer, near, text, wrong_value
from nexus._errors import NexusValueError
from nexus.compat import utils
from nexus.compat._objects import Layout as layout
from nexus.compat._objects import (
    buffer,
    command,
    device,
    event,
    info,
    kernel,
    library,
    runtime,
    schedule,
    source,
    stream,
)
from nexus.compat._wrapping import CLASSES, Objects, forward, or_empty, wrap
from nexus.compat.utils import format_device_info, get_data_type, version_info
from nexus.status import NXS_InvalidProperty

runtimes = devices = buffers = librarys = kernels = Objects
streams = events = schedules = commands = infos = Objects


def get_runtime(name: str) -> Any:
    """Returns the runtime of that name; an empty one if there is none."""
    return or_empty(nexus.Runtime, lambda: nexus.get_runtime(name))


def create_buffer(data: Any, dtype: Any = None) -> Any:
    """Creates a system buffer, as in plain Nexus; a list is a shape, of bytes."""
    return wrap(nexus.create_buffer(*source(data, dtype)))


def lookup_device_info(name: Any) -> Any:
    """Returns the device file of a kind of device; an empty one if there is none.

    Args:
        name: as in plain Nexus, or without its 'apple-gpu-': 'm4' is the GPU of an M4.
    """
    if isinstance(name, str):
        try:
            return wrap(nexus.lookup_device_info(f"apple-gpu-{name}"))
        except nexus.NexusError:
            pass  # not an Apple GPU
    return or_empty(nexus.Properties, lambda: forward(nexus.lookup_device_info)(name))


lookup_chip_info = lookup_device_info


class _DeviceInfo(Mapping[str, Any]):
    """The database of devices: from a stem to its info."""

    def __init__(self) -> None:
        self._stems = nexus.get_device_info()

    def __getitem__(self, stem: str) -> Any:
        if stem not in self._stems:
            raise KeyError(stem)
        return wrap(nexus.lookup_device_info(stem))

    def __iter__(self) -> Iterator[str]:
        return iter(self._stems)

    def __len__(self) -> int:
        return len(self._stems)


def get_device_info() -> Mapping[str, Any]:
    """Returns the database of devices: a mapping from the stem of each device file to its info."""
    return _DeviceInfo()


def _with_names(ours: types.ModuleType, names: Mapping[str, Any]) -> types.ModuleType:
    """Returns a module of plain Nexus with more names."""
    module = types.ModuleType(f"nexus.compat.{ours.__name__.rpartition('.')[2]}", ours.__doc__)
    public = {name: each for name, each in vars(ours).items() if not name.startswith("_")}
    vars(module).update(public | dict(names))
    return module


def _lower_case(name: str) -> str:
    """Returns the original's name for a data type: 'bfloat16' for 'BF16'."""
    kinds = {"F": "float", "BF": "bfloat", "I": "int", "U": "uint", "C": "complex"}
    kind = name.rstrip("0123456789")
    return kinds[kind] + name[len(kind) :] if kind in kinds else name.lower()


_Property = nexus.property.Property


def _property(number: int) -> Any:
    """Returns the property of a number. Raises NexusValueError if there is none."""
    try:
        return _Property(integer("number", number))
    except ValueError:
        advice = f"give one below {len(_Property)}"
        error = wrong_value("number", number, advice)
        raise NexusValueError(str(error), NXS_InvalidProperty) from None


def _property_of(name: str) -> Any:
    """Returns the property of a name. Raises NexusValueError if there is none."""
    if text("name", name) in _Property.__members__:
        return _Property.__members__[name]
    advice = f"name is {name!r}, which no property has{near(name, _Property.__members__)}"
    raise NexusValueError(advice, NXS_InvalidProperty)


status = _with_names(
    nexus.status,
    {"nxs_status": nexus.status.Status}
    | {each.name.removeprefix("NXS_"): each for each in nexus.status.Status},
)
event_type = _with_names(nexus.event_type, {"nxs_event_type": nexus.event_type.EventType})
data_type = _with_names(
    nexus.data_type,
    {"nxs_data_type": nexus.data_type.DataType}
    | {_lower_case(each.name): each for each in nexus.data_type.DataType},
)
property = _with_names(
    nexus.property,
    {
        "nxs_property": _Property,
        "get": _property,
        "get_enum": _property_of,
        "get_count": lambda: len(_Property),
        "get_name": lambda number: _property(number).name,
        "get_type": lambda number: _property(number).value_type,
    },
)


class _Functions:
    """A module of plain Nexus whose functions take and return the original's objects."""

    def __init__(self, ours: types.ModuleType) -> None:
        self._ours = ours

    def __getattr__(self, name: str) -> Any:
        return _converted(getattr(self._ours, name))


def _converted(ours: Any) -> Any:
    if isinstance(ours, type):
        return CLASSES.get(ours, ours)
    if isinstance(ours, types.ModuleType):
        return _Functions(ours)
    return forward(ours) if callable(ours) else ours


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'nexus.compat' has no attribute '{name}'")
    return _converted(getattr(nexus, name))


__all__ = [
    "get_runtime",
    "create_buffer",
    "get_device_info",
    "lookup_device_info",
    "lookup_chip_info",
    "version_info",
    "format_device_info",
    "get_data_type",
    "utils",
    "runtime",
    "runtimes",
    "device",
    "devices",
    "buffer",
    "buffers",
    "library",
    "librarys",
    "kernel",
    "kernels",
    "stream",
    "streams",
    "event",
    "events",
    "schedule",
    "schedules",
    "command",
    "commands",
    "info",
    "infos",
    "layout",
    "property",
    "status",
    "event_type",
    "data_type",
]
__all__ += [name for name in nexus.__all__ if name not in __all__]


def __dir__() -> list[str]:
    return sorted(__all__)
