# SPDX-License-Identifier: Apache-2.0
"""Calls with missing, surplus or misspelt arguments raise Python's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nexus

Call = Callable[[Any], Any]

MISTAKES: list[tuple[str, Call]] = [
    ("Device.create_buffer() missing required argument: 'data'", lambda d: d.create_buffer()),
    ("Device.copy_buffer() missing required argument: 'buffer'", lambda d: d.copy_buffer()),
    ("Device.create_schedule() takes at most 0 positional arguments (1 given)",
     lambda d: d.create_schedule(1)),
    ("Device.create_stream() takes at most 1 positional argument (2 given)",
     lambda d: d.create_stream(0, 1)),
    ("Device.create_event() got an unexpected keyword argument 'typ'",
     lambda d: d.create_event(typ=0)),
    ("Device.create_event() got multiple values for argument 'event_type'",
     lambda d: d.create_event(0, event_type=0)),
    ("timing has to be a bool, not int (1).", lambda d: d.create_event(0, 1)),
    ("Schedule.create_command() missing required argument: 'kernel'",
     lambda d: d.create_schedule().create_command()),
    ("Event.elapsed_ms() missing required argument: 'start'",
     lambda d: d.create_event().elapsed_ms()),
    ("start has to be a nexus.Event, not int (1).", lambda d: d.create_event().elapsed_ms(1)),
    ("Device.get_property_str() missing required argument: 'key'",
     lambda d: d.get_property_str()),
    ("Device.get_property_str() takes at most 1 positional argument (2 given)",
     lambda d: d.get_property_str("a", "b")),
    ("function has to be callable with one argument, the error or None, not int (1).",
     lambda d: d.default_stream.add_callback(1)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "call"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_the_error_names_the_function_and_the_parameter(
    device: nexus.Device, text: str, call: Call
) -> None:
    with pytest.raises(TypeError) as error:
        call(device)
    assert str(error.value) == text


def test_no_method_speaks_of_the_binding_library(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, library: nexus.Library
) -> None:
    objects = [device, device.runtime, buffer, library, library.get_kernel("add"), doubling]
    objects += [device.default_stream, device.create_event(), *doubling.get_commands()]
    for each in [*objects, device.get_info()]:
        for name in dir(type(each)):
            member = getattr(type(each), name)
            if name.startswith("_") or not callable(member):
                continue
            with pytest.raises(TypeError) as error:
                getattr(each, name)(no_such_parameter=1)
            assert "no_such_parameter" in str(error.value), name
            assert "supported" not in str(error.value), name


def test_the_error_of_an_index_tells_how_many_devices_there_are(device: nexus.Device) -> None:
    with pytest.raises(nexus.NexusError, match=r"index is 99.*devices?") as error:
        device.runtime.get_device(99)
    assert error.value.status == nexus.status.NXS_InvalidDevice
