# SPDX-License-Identifier: Apache-2.0
"""Every data type in buffers, copies and fills."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nexus import data_type
from nexus.conformance.api.workbench import LONG, Workbench

NUMBERS: dict[str, list[Any]] = {
    "bool": [True, False],
    "int8": [0, 1, -1, 2**7 - 1, -(2**7)],
    "uint8": [0, 1, 2**8 - 1],
    "int16": [0, 1, -1, 2**15 - 1, -(2**15)],
    "uint16": [0, 1, 2**16 - 1],
    "int32": [0, 1, -1, 2**31 - 1, -(2**31)],
    "uint32": [0, 1, 2**32 - 1],
    "int64": [0, 1, -1, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 2**63, 2**64 - 1],
    "float16": [0.0, -0.0, 1.5, -2.25, 65504.0, math.inf],
    "float32": [0.0, -0.0, 1.5, -2.25, 3.4028234663852886e38, -math.inf],
    "float64": [0.0, -0.0, 1 / 3, 1.7976931348623157e308, -math.inf],
    "complex64": [0j, 1.5 - 2j, complex(-0.0, math.inf)],
    "complex128": [0j, 1 / 3 - 2j, complex(-0.0, 1e300)],
}
FILLS = [(dtype, value) for dtype, values in NUMBERS.items() for value in values]
COUNTS = [1, 2, 3, 17, 1001]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_an_array_of_each_type_comes_back(work: Workbench, dtype: str) -> None:
    data = np.array(NUMBERS[dtype] * 6, dtype).reshape(2, -1, 3)
    buffer = work.device.create_buffer(data)
    assert (buffer.dtype, buffer.shape, buffer.nbytes) == (dtype, data.shape, data.nbytes)
    back = buffer.numpy()
    assert (back.dtype, back.shape, back.tobytes()) == (data.dtype, data.shape, data.tobytes())


@pytest.mark.parametrize("how", ["call", "command"])
@pytest.mark.parametrize(("dtype", "value"), FILLS)
def test_a_fill_with_each_type(work: Workbench, dtype: str, value: Any, how: str) -> None:
    for count in COUNTS:
        buffer = work.device.create_buffer(np.ones(count + 2, dtype))
        part = buffer[1:-1]
        if how == "call":
            part.fill(value)
        else:
            schedule = work.device.create_schedule()
            schedule.create_fill_command(part, value)
            schedule.run(timeout=LONG)
        expected = np.array([1, *[value] * count, 1], dtype)
        assert buffer.numpy().tobytes() == expected.tobytes(), count


# The bits of the formats: bfloat16 is the upper half of a float32.
BITS: list[tuple[data_type.DataType, float, str, int]] = [
    (data_type.BF16, 1.0, "u2", 0x3F80),
    (data_type.BF16, -2.5, "u2", 0xC020),
    (data_type.BF16, math.inf, "u2", 0x7F80),
    (data_type.F8, 1.0, "u1", 0x38),
    (data_type.F8, -448.0, "u1", 0xFE),
    (data_type.BF8, 1.0, "u1", 0x3C),
    (data_type.BF8, -2.0, "u1", 0xC0),
]


@pytest.mark.parametrize(("dtype", "value", "bits", "expected"), BITS)
def test_a_fill_with_types_that_numpy_lacks(
    work: Workbench, dtype: data_type.DataType, value: float, bits: str, expected: int
) -> None:
    buffer = work.device.create_buffer((9,), dtype=dtype)
    buffer.fill(value)
    host = np.zeros(9, np.dtype(f"<{bits}"))
    schedule = work.device.create_schedule()
    plain = work.device.create_buffer(host.nbytes)
    plain.fill(0)
    schedule.create_copy_command(plain, buffer)
    schedule.run(timeout=LONG)
    assert set(plain.numpy().view(host.dtype).tolist()) == {expected}


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_elements_of_four_bits_share_bytes(work: Workbench, name: str) -> None:
    assert work.device.create_buffer((3,), dtype=name).nbytes == 2


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_bits_of_nans_come_back(work: Workbench, dtype: str) -> None:
    size = np.dtype(dtype).itemsize
    quiet = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}[size]
    bits = np.array([quiet, quiet + 1, quiet + 0x155, quiet | 1 << 8 * size - 1], f"u{size}")
    buffer = work.device.create_buffer(bits.view(dtype))
    copied = work.device.copy_buffer(buffer)
    assert copied.numpy().view(bits.dtype).tolist() == bits.tolist()


@pytest.mark.parametrize("byte", [0, 1, 127, 128, 255])
def test_a_fill_without_a_type_sets_bytes(work: Workbench, byte: int) -> None:
    buffer = work.device.create_buffer(1003)
    buffer.fill(byte)
    assert buffer.numpy().tobytes() == bytes([byte]) * 1003


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int8", 128), ("uint8", -1), ("uint64", 2**64), ("int64", 2**63), ("int32", 1.5)],
)
def test_a_fill_with_what_does_not_fit_is_refused(work: Workbench, dtype: str, value: Any) -> None:
    buffer = work.device.create_buffer(np.ones(4, dtype))
    with pytest.raises((ValueError, TypeError)):
        buffer.fill(value)
    assert set(buffer.numpy().tolist()) == {1}


@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 4, 5), (1, 1, 1, 1, 1, 7)])
def test_a_buffer_keeps_its_shape(work: Workbench, shape: tuple[int, ...]) -> None:
    data = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    buffer = work.device.create_buffer(data)
    assert np.array_equal(buffer.numpy(), data)
    assert np.array_equal(work.device.copy_buffer(buffer).numpy(), data)
    if shape[0] > 1:
        assert np.array_equal(buffer[1:].numpy(), data[1:])
