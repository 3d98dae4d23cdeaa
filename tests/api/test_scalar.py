# SPDX-License-Identifier: Apache-2.0
"""Scalars are passed bit-exact in the kernel's width, and checked."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest

import nexus


def passed(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, name: str, *values: Any
) -> bytes:
    """Returns the bytes of the scalars that a kernel receives."""
    out = device.create_buffer(64)
    schedule.create_command(library.get_kernel(name), (out, *values), 1, 1)
    schedule.run()
    return bytes(out.numpy())


@pytest.fixture
def scale(schedule: nexus.Schedule, library: nexus.Library) -> nexus.Command:
    """Returns a kernel that describes itself; argument 1 is a float32."""
    return schedule.create_command(library.get_kernel("scale"))


@pytest.fixture
def add(schedule: nexus.Schedule, library: nexus.Library) -> nexus.Command:
    """Returns a kernel that describes itself; argument 3 is an int32."""
    return schedule.create_command(library.get_kernel("add"))


@pytest.fixture
def plain(schedule: nexus.Schedule, library: nexus.Library) -> nexus.Command:
    """Returns a kernel without a description; argument 2 is a float32."""
    return schedule.create_command(library.get_kernel("plain_saxpy"))


@pytest.mark.parametrize(
    "value", [1.5, 1.0, True, np.True_, "1", None, [1], np.float64(1), np.ones(2)]
)
def test_what_is_no_int32_is_a_type_error(add: nexus.Command, value: Any) -> None:
    with pytest.raises(TypeError, match=r"argument 3 \('n'\)"):
        add.set_arg(3, value)


@pytest.mark.parametrize("value", [np.int64(-7), np.uint8(7), np.array(7, np.int16)])
def test_a_numpy_integer_is_taken_by_its_value(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, value: Any
) -> None:
    seen = passed(device, schedule, library, "integers", 0, 0, 0, 0, value, 0, 0, 0)
    assert struct.unpack_from("=bBhHiIqQ", seen)[4] == int(value)


@pytest.mark.parametrize(
    "value", [np.float64(0.1), np.float16(0.5), np.int32(3), np.longdouble("0.25")]
)
def test_a_numpy_number_is_rounded_to_the_parameters_type(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, value: Any
) -> None:
    seen = passed(device, schedule, library, "numbers", value, 0.0, False)
    assert struct.unpack_from("=fd?", seen)[0] == float(np.float32(value))


def test_a_numpy_number_that_does_not_fit_is_refused_with_its_value(
    add: nexus.Command, scale: nexus.Command
) -> None:
    with pytest.raises(ValueError, match=r"argument 3 \('n'\) is 2147483648: .* to 2147483647"):
        add.set_arg(3, np.int64(2**31))
    with pytest.raises(ValueError, match=r"argument 1 \('factor'\) is 1e\+39: .*too large"):
        scale.set_arg(1, np.float64(1e39))
    with pytest.raises(TypeError, match=r"argument 3 \('n'\) has to be an int .*2\.5"):
        add.set_arg(3, np.float32(2.5))


@pytest.mark.parametrize("value", [np.ma.masked, np.ma.masked_array(1.0, True)])
def test_a_masked_number_is_refused(scale: nexus.Command, value: Any) -> None:
    with pytest.raises(TypeError, match=r"argument 1 \('factor'\) is a masked array"):
        scale.set_arg(1, value)


def test_a_complex_number_is_no_float(scale: nexus.Command) -> None:
    with pytest.raises(TypeError, match=r"'factor'.*for dtype float32, not complex"):
        scale.set_arg(1, np.complex64(1j))


def test_a_masked_value_does_not_fill(device: nexus.Device, schedule: nexus.Schedule) -> None:
    buffer, value = device.create_buffer(4, np.float32), np.ma.masked_array(np.float32(1), True)
    with pytest.raises(TypeError, match="value is a masked array"):
        buffer.fill(value)
    with pytest.raises(TypeError, match="value is a masked array"):
        schedule.create_fill_command(buffer, value)


def test_a_numpy_bool_is_taken_for_a_bool(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    seen = passed(device, schedule, library, "numbers", 0.0, 0.0, np.bool_(True))
    assert struct.unpack_from("=fd?", seen)[2] is True


def test_a_numpy_number_takes_the_dtype_that_is_told(plain: nexus.Command) -> None:
    plain.set_arg(2, np.float64(0.5), dtype="float32")
    with pytest.raises(ValueError, match=r"argument 2 is 1e\+39: .*too large"):
        plain.set_arg(2, np.float64(1e39), dtype="float32")


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (np.float32(2), None),
        (np.array(2, np.float32), None),
        (ctypes.c_float(2), None),
        (2.0, "float32"),
        (2, "f32"),
        (np.float32(2), np.float32),
    ],
)
def test_a_number_whose_width_is_told(
    device: nexus.Device,
    schedule: nexus.Schedule,
    plain: nexus.Command,
    floats: Any,
    value: Any,
    dtype: Any,
) -> None:
    x, y = device.create_buffer(floats), device.create_buffer(floats)
    plain.set_buffer(0, x)
    plain.set_buffer(1, y)
    plain.set_arg(2, value, dtype=dtype)
    plain.finalize(32, 1024)
    schedule.run()
    np.testing.assert_array_equal(y.numpy(), floats * 3)
