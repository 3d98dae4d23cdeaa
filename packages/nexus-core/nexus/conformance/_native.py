# SPDX-License-Identifier: Apache-2.0
"""Calls the plug-in's own functions, without libnexus.

``native.get("CreateStream", device, 0)`` returns what the call wrote to its out_ parameter and
raises AssertionError if the call fails. ``native.refuse("NXS_InvalidValue", "CreateStream", device,
1 << 20)`` expects a status, unchanged out_ parameters and an error record with a text.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, NamedTuple

from nexus import _core
from nexus.conformance import _c_types, _headers
from nexus.conformance._subject import Subject

_UNTOUCHED = 0xA5
N = _headers.constants
_POINTER_TO_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__
_NUMBERS = (ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_double)


class Failure(NamedTuple):
    """The status and the error record of a failed call."""

    status: str
    text: str
    native_code: int


class Native:
    """The function table of the backend under test."""

    def __init__(self, subject: Subject) -> None:
        address, runtime, capabilities, model, tag = _core.plugin_table(subject.device.runtime)
        table = _c_types.struct("nxs_functions").from_address(address)
        self.selector = subject.device.selector
        self.runtime: int = runtime
        self.tag: int = tag
        self.capabilities: int = capabilities
        self.serialized = model == N()["NXS_ThreadModel_Serialized"]
        self.wait_seconds = subject.settings.wait_seconds
        self.said_last = ""  # the error text of the newest failed call
        self._lock = threading.Lock()
        self._functions = {
            name: _c_types.function_type(function)(getattr(table, name))
            for name, function in _headers.functions().items()
        }
        self.device: int = self.get(
            "GetDevice", runtime, int(subject.device.selector.split(":")[1])
        )

    def call(self, name: str, *arguments: Any) -> int:
        """Calls the function with all arguments, as C has them; returns the status."""
        function = self._functions[name]
        arguments = tuple(map(_null_or_it, function.argtypes, arguments))
        _core.plugin_error(0)  # forgets the error of an earlier call
        if not self.serialized:
            return int(function(*arguments))
        with self._lock:
            return int(function(*arguments))

    def get(self, name: str, *arguments: Any) -> Any:
        """Returns what a successful call wrote to its out_ parameters: one value, or a tuple."""
        given, outs = self._complete(name, arguments)
        status = self.call(name, *given)
        if status != 0:
            said = self._said(status)
            raise AssertionError(f"nxs{name} returned {said.status}: {said.text}")
        values = [_value(out) for out in outs]
        return values[0] if len(values) == 1 else tuple(values)

    def try_(self, name: str, *arguments: Any) -> str:
        """Returns the status of a call. If it fails, checks the rules for all failing calls."""
        given, outs = self._complete(name, arguments)
        before = [bytes(out) for out in outs]
        status = self.call(name, *given)
        if status == 0:
            return "NXS_Success"
        said = self._said(status)
        assert [bytes(out) for out in outs] == before, (
            f"nxs{name} returned {said.status} and wrote to an out_ parameter"
        )
        self.said_last = said.text
        assert said.text.strip(), f"nxs{name} returned {said.status} and did not say why"
        return said.status

    def refuse(self, wanted: str | tuple[str, ...], name: str, *arguments: Any) -> None:
        """Checks that a call returns one of the statuses."""
        expected = (wanted,) if isinstance(wanted, str) else wanted
        status = self.try_(name, *arguments)
        assert status in expected, (
            f"nxs{name} returned {status}, and {' or '.join(expected)} was due"
        )

    def lacks(self, name: str) -> bool:
        """Returns whether an optional function is missing: the core's stub takes its place."""
        if _headers.functions()[name].required:
            return False
        zeros = [0 if kind in _NUMBERS else None for kind in self._functions[name].argtypes]
        return self.call(name, *zeros) == N()["NXS_NotSupported"]

    def error(self, record: int) -> str:
        """Returns the text of an error record, such as a completion's; '' if it was released."""
        found = _core.plugin_error(record) if record else None
        return found[0] if found else ""

    def _said(self, status: int) -> Failure:
        found = _core.plugin_error(0)
        name = _headers.statuses().get(status)
        assert name is not None, f"the status {status} is none of nxs_enums.h"
        assert status < 0, f"the status {name} is not an error"
        return Failure(name, found[0] if found else "", found[1] if found else 0)

    def _complete(self, name: str, arguments: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
        """Returns the arguments as C has them, with memory for the out_ parameters not given."""
        parameters = _headers.functions()[name].parameters
        inputs = [each for each in parameters if not each.name.startswith("out_")]
        if len(arguments) not in (len(inputs), len(parameters)):
            raise TypeError(f"nxs{name} takes {len(inputs)} arguments, not {len(arguments)}")
        given = [_argument(value) for value in arguments]
        outs = []
        for parameter in parameters[len(arguments) :]:
            outs.append(out_memory(parameter))
            given.append(ctypes.byref(outs[-1]))
        return given, outs


def out_memory(parameter: _headers.Parameter) -> Any:
    """Returns memory for an out_ parameter, filled with a pattern so that a write shows."""
    target = parameter.type[:-1]
    if _c_types.is_struct(target):
        made = _c_types.struct(target)()
        ctypes.memset(ctypes.byref(made), _UNTOUCHED, ctypes.sizeof(made))
        made.struct_size = ctypes.sizeof(made)
        if target == "nxs_value":
            made.reserved = 0
            made.kept = (ctypes.c_uint64 * 32)()
            made.data = ctypes.addressof(made.kept)
            made.capacity = ctypes.sizeof(made.kept)
        return made
    made = ctypes.c_void_p() if target == "void*" else _c_types.scalar(target)()
    ctypes.memset(ctypes.byref(made), _UNTOUCHED, ctypes.sizeof(made))
    return made


def _value(out: Any) -> Any:
    return out if isinstance(out, ctypes.Structure) else out.value


def _argument(value: Any) -> Any:
    if isinstance(value, str):
        return ctypes.byref(_c_types.text(value))
    if isinstance(value, (ctypes.Structure, ctypes.Array)):
        return ctypes.byref(value)
    return value


def _null_or_it(kind: Any, value: Any) -> Any:
    """Replaces None with a NULL function pointer, since ctypes does not."""
    return kind() if value is None and issubclass(kind, _POINTER_TO_FUNCTION) else value
