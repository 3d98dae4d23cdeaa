# SPDX-License-Identifier: Apache-2.0
"""Errors for arguments of a wrong class or dtype name the parameter and the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus

Call = Callable[[nexus.Device, nexus.Schedule, nexus.Buffer], Any]

ANYTHING: Any = "nothing"
BUFFER_OR_ARRAY = (
    "Buffer, or an array: numpy, or anything with the buffer protocol, __array_interface__, "
    "DLPack or __array__"
)


@pytest.mark.parametrize(
    ("parameter", "wanted", "call"),
    [
        ("kernel", "Kernel", lambda d, s, b: s.create_command(ANYTHING)),
        ("dst", BUFFER_OR_ARRAY, lambda d, s, b: s.create_copy_command(ANYTHING, b)),
        ("src", BUFFER_OR_ARRAY, lambda d, s, b: s.create_copy_command(b, ANYTHING)),
        ("buffer", "Buffer", lambda d, s, b: s.create_fill_command(ANYTHING, 0)),
        ("event", "Event", lambda d, s, b: s.create_signal_command(ANYTHING)),
        ("event", "Event", lambda d, s, b: s.create_wait_command(ANYTHING)),
        ("event", "Event", lambda d, s, b: d.default_stream.signal(ANYTHING)),
        (
            "event_or_stream",
            "Event or a nexus.Stream",
            lambda d, s, b: d.default_stream.wait(ANYTHING),
        ),
        ("buffer", "Buffer", lambda d, s, b: d.copy_buffer(ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.fill(0, stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.copy(np.ones(1024), stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.copy_from(np.ones(1024), stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: s.run(ANYTHING)),
    ],
)
def test_the_error_names_parameter_class_and_value(
    device: nexus.Device,
    schedule: nexus.Schedule,
    buffer: nexus.Buffer,
    parameter: str,
    wanted: str,
    call: Call,
) -> None:
    expected = f"{parameter} has to be a nexus.{wanted}, not str ('nothing')."
    with pytest.raises(TypeError) as error:
        call(device, schedule, buffer)
    assert str(error.value) == expected


def test_a_view_reinterprets_a_buffer_for_a_kernel(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    wrong = device.create_buffer(np.array([[1, 2], [3, 4]], np.uint32))
    kernel = library.get_kernel("scale")
    refused = r"argument 0, 'x', of the kernel 'scale' points to float32, .* of uint32; .*view\('f"
    with pytest.raises(ValueError, match=refused):
        schedule.create_command(kernel, [wrong, 2.0])
    bytes_of_any_dtype = device.create_buffer(16)
    schedule.create_command(kernel, [bytes_of_any_dtype, 2.0], 4, 4)
    command = schedule.create_command(kernel, [wrong.view("float32"), 2.0], 4, 4)
    with pytest.raises(ValueError, match=refused):
        command.set_buffer(0, wrong)
    schedule.run()
    doubled = np.array([[1, 2], [3, 4]], np.uint32).view(np.float32) * 2
    np.testing.assert_array_equal(wrong.numpy().view(np.float32), doubled)


def test_a_kernel_that_does_not_describe_itself_takes_any_buffer(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    doubles = device.create_buffer(np.zeros(4))
    kernel = library.get_kernel("plain_saxpy")
    schedule.create_command(kernel, [doubles, doubles, np.float32(1)], 4, 4)
    schedule.run()


@pytest.mark.parametrize(
    ("shape", "dtype", "viewed"),
    [
        ((2, 6), "float32", {"float64": (2, 3), "uint8": (2, 24), "int32": (2, 6)}),
        ((2, 4), "int8", {"int4": (2, 8), "float32": (2, 1)}),
    ],
)
def test_a_view_has_the_shape_that_numpys_has(
    device: nexus.Device, shape: tuple[int, ...], dtype: str, viewed: dict[str, tuple[int, ...]]
) -> None:
    buffer = device.create_buffer(shape, dtype=dtype)
    for name, expected in viewed.items():
        view = buffer.view(name)
        assert (view.shape, view.dtype, view.nbytes) == (expected, name, buffer.nbytes)


def test_a_view_of_a_part_of_an_element_is_refused(device: nexus.Device) -> None:
    buffer = device.create_buffer((2, 3), dtype="float32")
    with pytest.raises(ValueError, match=r"dtype is 'float64': .*64 bits.*dimension 96"):
        buffer.view("float64")
