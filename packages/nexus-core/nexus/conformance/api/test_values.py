# SPDX-License-Identifier: Apache-2.0
"""Scalar arguments, and kernels with many arguments."""

from __future__ import annotations

import ctypes
import math
import struct
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import LONG, Workbench

# a, b, c, ... of store_integers: the smallest and largest value of each type, then others
INTEGERS: list[tuple[int, ...]] = [
    (-(2**7), 0, -(2**63), 0, 0, -(2**15), -(2**31), 0, 0),
    (2**7 - 1, 1, 2**63 - 1, 2**8 - 1, 2**64 - 1, 2**15 - 1, 2**31 - 1, 2**16 - 1, 2**32 - 1),
    (-1, 1, -1, 1, 1, -1, -1, 1, 1),
    (0x12, 0, 0x123456789ABCDEF0, 0x9A, 0xFEDCBA9876543210, 0x1234, 0x12345678, 0xABCD, 0x89ABCDEF),
]
NAMES = "abcdefghi"
TYPES = ["int8", "bool", "int64", "uint8", "uint64", "int16", "int32", "uint16", "uint32"]
CTYPES = [
    ctypes.c_int8, ctypes.c_bool, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_int16,
    ctypes.c_int32, ctypes.c_uint16, ctypes.c_uint32,
]  # fmt: skip


def python_numbers(numbers: tuple[int, ...]) -> list[Any]:
    return [bool(number) if each == "bool" else number
            for number, each in zip(numbers, TYPES, strict=True)]  # fmt: skip


def numpy_scalars(numbers: tuple[int, ...]) -> list[Any]:
    return [np.dtype(each).type(number) for number, each in zip(numbers, TYPES, strict=True)]


def ctypes_scalars(numbers: tuple[int, ...]) -> list[Any]:
    return [each(number) for number, each in zip(numbers, CTYPES, strict=True)]


@pytest.mark.parametrize("numbers", INTEGERS)
@pytest.mark.parametrize("form", [numpy_scalars, ctypes_scalars, python_numbers])
def test_integers_of_all_widths_arrive(
    work: Workbench, capabilities: frozenset[str], numbers: tuple[int, ...], form: Any
) -> None:
    if form is python_numbers and "ArgumentInfo" not in capabilities:
        not_applicable("its kernels do not describe themselves, so Python's numbers have no width")
    a, b, c, d, e, f, g, h, i = form(numbers)
    signed, unsigned = (work.device.create_buffer(np.zeros(5, dtype)) for dtype in ("i8", "u8"))
    work.launch("store_integers", (a, signed, b, c, d, e, f, unsigned, g, h, i))
    by_name = dict(zip(NAMES, numbers, strict=True))
    assert signed.numpy().tolist() == [by_name[each] for each in "afgc"] + [0]
    assert unsigned.numpy().tolist() == [by_name[each] for each in "bdhie"]


FLOATS = [
    0.0, -0.0, 1.5, -math.pi, math.inf, -math.inf, 3.4028234663852886e38, 1.1754943508222875e-38,
]  # fmt: skip


@pytest.mark.parametrize("value", FLOATS)
def test_floats_of_32_bits_arrive(work: Workbench, value: float) -> None:
    out = work.device.create_buffer(np.full(2, 7, np.float32))
    work.launch("store_f32", (out, np.float32(value)))
    assert out.numpy().tobytes() == np.array([value, 7], np.float32).tobytes()


@pytest.mark.parametrize("value", [*FLOATS, 1 / 3, 1.7976931348623157e308, 5e-324])
def test_floats_of_64_bits_arrive(work: Workbench, value: float) -> None:
    types = work.device.properties.get("DataTypes")
    if types is not None and "float64" not in types:
        not_applicable("the device has no float64")
    out = work.device.create_buffer(np.full(2, 7, np.float64))
    work.launch("store_f64", (out, np.float64(value)))
    assert out.numpy().tobytes() == np.array([value, 7], np.float64).tobytes()


@pytest.mark.parametrize("bits", [0x7FC00000, 0x7FC12345, 0xFFC0BEEF])
def test_the_payload_of_a_nan_arrives(work: Workbench, bits: int) -> None:
    out = work.device.create_buffer(np.zeros(1, np.float32))
    work.launch("store_f32", (out, np.frombuffer(struct.pack("=I", bits), np.float32)[0]))
    assert out.numpy().view(np.uint32)[0] == bits


@pytest.mark.parametrize("form", ["bytes", "array", "tuple"])
def test_a_vector_arrives(work: Workbench, form: str) -> None:
    value = np.array([1.5, -2.0, 3.25, 1e30], np.float32)
    forms: dict[str, Any] = {
        "bytes": value.tobytes(), "array": value, "tuple": tuple(value.tolist()),
    }  # fmt: skip
    told = work.kernels["store_vector"].arguments
    if form != "bytes" and (told is None or not told[1].type):
        not_applicable("its kernels do not describe vector types, so vectors are passed as bytes")
    out = work.device.create_buffer(np.zeros(5, np.float32))
    work.launch("store_vector", (out, forms[form]))
    assert out.numpy().tolist() == [*value.tolist(), 0]


@pytest.mark.parametrize("count", [16, 64])
def test_each_of_many_arguments_has_its_place(work: Workbench, count: int) -> None:
    most = work.device.properties.get("MaxArguments")
    if most is not None and int(most) < count:
        not_applicable(f"its kernels take {most} arguments at most")
    numbers = np.random.default_rng(count).integers(-1000, 1000, count - 1).astype(np.int32)
    out, schedule = work.ints(0, 2), work.device.create_schedule()
    command = schedule.create_command(work.kernels[f"sum_{count}"], (out, *numbers), 1, 1)
    weights = np.arange(1, count)
    schedule.run(timeout=LONG)
    assert out.numpy().tolist() == [int(weights @ numbers), 0]
    for place in (1, count // 2, count - 1):
        numbers[place - 1] = 5000 + place
        command.set_arg(place, numbers[place - 1])
        schedule.run(timeout=LONG)
        assert out.numpy().tolist() == [int(weights @ numbers), 0]


@pytest.mark.needs("ArgumentInfo")
def test_kernels_describe_their_arguments(work: Workbench) -> None:
    told = work.kernels["store_integers"].arguments
    assert told is not None
    kinds = ["buffer" if at in (1, 7) else "scalar" for at in range(11)]
    assert [each.kind for each in told] == kinds
    scalars = [each for each in told if each.kind == "scalar"]
    sizes = [np.dtype(each).itemsize for each in TYPES]
    assert [each.size for each in scalars] == sizes
    for each, name in zip(scalars, TYPES, strict=True):
        assert each.dtype in (name, None) or (name, each.dtype) == ("bool", "uint8")
    told = work.kernels["group_sum"].arguments
    assert told is not None
    assert [each.kind for each in told] == ["buffer", "buffer", "local_memory"]


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.parametrize(
    ("kernel", "index", "value"),
    [
        ("fill_i32", 0, 1),
        ("fill_i32", 1, 2**31),
        ("fill_i32", 1, -(2**31) - 1),
        ("fill_i32", 1, 1.5),
        ("fill_i32", 1, np.int64(2**31)),
        ("set_byte", 2, 256),
        ("set_byte", 2, -1),
        ("store_vector", 1, b"123"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(
    work: Workbench, kernel: str, index: int, value: Any
) -> None:
    command = work.device.create_schedule().create_command(work.kernels[kernel])
    with pytest.raises((TypeError, ValueError)):
        command.set_arg(index, value)


def test_an_argument_that_is_none_is_refused(work: Workbench) -> None:
    command = work.device.create_schedule().create_command(work.kernels["fill_i32"])
    for index in (-1, 64, 2**32):
        with pytest.raises((ValueError, nexus.NexusError)):
            command.set_arg(index, np.int32(1))
