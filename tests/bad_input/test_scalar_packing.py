# SPDX-License-Identifier: Apache-2.0
"""Scalars of every data type, bit for bit as numpy, struct and ml_dtypes have them, or refused.

A buffer's fill and a kernel's argument pack alike; what is told as a typed scalar is passed as it
is, with the payload of a NaN."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from workbench import Backend

import nexus

ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")

INTEGERS = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q",
}  # fmt: skip
FLOATS: dict[str, Any] = {
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32,
    "float64": np.float64, "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
KERNELS = [*INTEGERS, "float32", "float64"]  # those whose type a kernel of the CPU has

modest = settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def filled(device: nexus.Device, dtype: str, value: Any) -> bytes:
    """The bytes of one element after a fill."""
    buffer = device.create_buffer((1,), dtype=dtype)
    buffer.fill(value)
    host = bytearray(buffer.nbytes)
    plain = np.frombuffer(host, np.uint8)
    np.copyto(plain, np.asarray(buffer).view(np.uint8))
    return bytes(host)


def stored(backend: Backend, kernel: str, value: Any, size: int) -> bytes:
    """The bytes of the argument as the kernel gets it."""
    out = backend.device.create_buffer(16)
    out.fill(0xA5)
    schedule = backend.device.create_schedule()
    schedule.create_command(backend.library.get_kernel(f"store_{kernel}"), (out, value), 1, 1)
    schedule.run(timeout=20)
    seen = bytes(out.numpy())
    assert seen[size:] == b"\xa5" * (16 - size), "wider than the kernel's argument"
    return seen[:size]


def fits(dtype: str, value: int) -> bool:
    """Returns whether the value fits the integer type."""
    limits = np.iinfo(dtype)
    return int(limits.min) <= value <= int(limits.max)


WHOLE = st.one_of(
    st.integers(-(2**66), 2**66),
    st.sampled_from([sign * 2**bits + d for bits in (7, 8, 15, 16, 31, 32, 63, 64)
                     for sign in (1, -1) for d in (-1, 0, 1)]),
)  # fmt: skip


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", INTEGERS)
@modest
@given(value=WHOLE)
def test_an_integer_is_packed_or_refused(backend: Backend, dtype: str, value: int) -> None:
    if fits(dtype, value):
        assert filled(backend.device, dtype, value) == struct.pack("=" + INTEGERS[dtype], value)
        return
    with pytest.raises(ValueError, match=f"value is {value}: numbers of dtype {dtype} are from"):
        filled(backend.device, dtype, value)


@pytest.mark.parametrize("dtype", INTEGERS)
@modest
@given(value=WHOLE)
def test_an_integer_argument_is_packed_or_refused(on_cpu: Backend, dtype: str, value: int) -> None:
    if fits(dtype, value):
        packed = struct.pack("=" + INTEGERS[dtype], value)
        assert stored(on_cpu, dtype, value, len(packed)) == packed
        return
    with pytest.raises(ValueError, match=f"'value'.* is {value}: numbers of dtype {dtype}"):
        stored(on_cpu, dtype, value, 0)


def expected(dtype: str, value: float) -> bytes | None:
    """Returns numpy's conversion of a double; None where it is finite and overflows."""
    with np.errstate(all="ignore"):
        narrow = np.array([value], np.float64).astype(FLOATS[dtype])
    if math.isfinite(value) and not np.isfinite(narrow.astype(np.float64)).all():
        return None
    return narrow.tobytes()


def is_nan(dtype: str, data: bytes) -> bool:
    return bool(np.isnan(np.frombuffer(data, FLOATS[dtype]).astype(np.float64)).all())


EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 448.0, 464.0, 465.0, 57344.0, 61440.0, 65504.0, 65519.99,
    65520.0, 2.0**-9, 2.0**-10, 2.0**-16, 2.0**-17, 2.0**-24, 2.0**-25, 2.0**-26, 2.0**-126,
    2.0**-133, 2.0**-134, 2.0**-149, 2.0**-150, 2.0**-1022, 5e-324, 1e-300, 1e300,
    3.4028234663852886e38, 3.4028235677973366e38, 3.3895313892515355e38, 3.4e38,
    1.7976931348623157e308, math.inf, -math.inf, math.nan,
]  # fmt: skip
REAL = st.one_of(st.floats(), st.floats(width=32), st.floats(width=16), st.sampled_from(EDGES))


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", FLOATS)
@modest
@given(value=REAL)
def test_a_float_is_rounded_as_numpy_does_or_refused(
    on_cpu: Backend, dtype: str, value: float
) -> None:
    check_float(on_cpu, dtype, value)


@pytest.mark.parametrize("value", EDGES, ids=repr)
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_float_at_the_edges_is_rounded_as_numpy_does_or_refused(
    backend: Backend, dtype: str, value: float
) -> None:
    check_float(backend, dtype, value)
    check_float(backend, dtype, -value)


def check_float(backend: Backend, dtype: str, value: float) -> None:
    packed = expected(dtype, value)
    if packed is None or (math.isinf(value) and is_nan(dtype, packed)):  # e4m3 has no infinity
        with pytest.raises(ValueError, match=f"value is .*too large for a {dtype}"):
            filled(backend.device, dtype, value)
        return
    seen = filled(backend.device, dtype, value)
    if math.isnan(value):
        assert is_nan(dtype, seen)
    else:
        assert seen == packed


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@modest
@example(value=math.nan)
@given(value=REAL)
def test_a_float_argument_is_rounded_as_numpy_does_or_refused(
    on_cpu: Backend, dtype: str, value: float
) -> None:
    packed = expected(dtype, value)
    size = np.dtype(dtype).itemsize
    if packed is None:
        with pytest.raises(ValueError, match=f"'value'.* is .*too large for a {dtype}"):
            stored(on_cpu, dtype, value, size)
        return
    seen = stored(on_cpu, dtype, value, size)
    assert is_nan(dtype, seen) if math.isnan(value) else seen == packed


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@modest
@given(bits=st.binary(min_size=8, max_size=8))
def test_a_typed_scalar_keeps_every_bit(on_cpu: Backend, dtype: str, bits: bytes) -> None:
    """Signalling NaNs and their payloads, subnormals, minus zero."""
    kind = np.dtype(FLOATS.get(dtype, dtype))
    scalar = np.frombuffer(bits, kind, count=1)[0]
    if np.frombuffer(bits, kind, count=1).tobytes() != scalar.tobytes():
        return  # numpy itself quietened it
    assert filled(on_cpu.device, dtype, scalar) == scalar.tobytes()
    if dtype in KERNELS:
        assert stored(on_cpu, dtype, scalar, kind.itemsize) == scalar.tobytes()


@modest
@given(value=st.booleans())
def test_a_bool_is_one_byte(on_cpu: Backend, value: bool) -> None:
    assert filled(on_cpu.device, "bool", value) == bytes([value])
    assert stored(on_cpu, "bool", value, 1) == bytes([value])


@modest
@given(value=st.one_of(st.integers(), st.floats(), st.text(), st.none()))
def test_what_is_no_bool_is_refused(backend: Backend, value: Any) -> None:
    with pytest.raises(TypeError, match="value has to be True or False for a bool"):
        filled(backend.device, "bool", value)


@pytest.mark.parametrize("dtype", INTEGERS)
@modest
@given(value=st.one_of(st.floats(), st.booleans(), st.text(), st.complex_numbers(), st.binary()))
def test_what_is_no_integer_is_refused(backend: Backend, dtype: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"value has to be an int for dtype {dtype}"):
        filled(backend.device, dtype, value)


@pytest.mark.parametrize("dtype", ["int4", "uint4"])
def test_elements_of_four_bits_are_not_filled(backend: Backend, dtype: str) -> None:
    buffer = backend.device.create_buffer((8,), dtype=dtype)
    with pytest.raises(TypeError, match=f"value: a scalar can't be of the data type {dtype}"):
        buffer.fill(1)


@modest
@given(value=st.integers(-1000, 1000))
def test_plain_bytes_are_filled_with_bytes(backend: Backend, value: int) -> None:
    buffer = backend.device.create_buffer(5)
    if 0 <= value <= 255:
        buffer.fill(value)
        assert bytes(buffer.numpy()) == bytes([value]) * 5
    else:
        with pytest.raises(ValueError, match=f"value is {value}: numbers of dtype uint8"):
            buffer.fill(value)
