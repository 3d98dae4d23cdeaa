# SPDX-License-Identifier: Apache-2.0
"""Vectors as the values of a kernel's arguments."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nexus

VECTORS = """
NEXUS_KERNEL(vectors, (NEXUS_GLOBAL float *, out), (nexus_float4, v), (nexus_int2, w), (float, a)) {
  out[0] = nexus_x(v);
  out[1] = nexus_w(v);
  out[2] = (float)nexus_y(w);
  out[3] = a;
}
"""
V = np.array([1, 2, 3, 4], np.float32)
W = np.array([5, -6], np.int32)
RECORD = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")])


class Four(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in "xyzw"]


@pytest.fixture(scope="module")
def kernel() -> nexus.Kernel:
    return nexus.get_device("cpu").compile(VECTORS).get_kernel("vectors")


def run(kernel: nexus.Kernel, *values: Any) -> list[float]:
    device = nexus.get_device("cpu")
    out = device.create_buffer((4,))
    schedule = device.create_schedule()
    schedule.create_command(kernel, (out, *values), grid_size=1)
    schedule.run()
    return list(out.numpy())


@pytest.mark.parametrize(
    "vector",
    [
        V,
        V.reshape(2, 2),
        np.array([9, 1, 9, 2, 9, 3, 9, 4], np.float32)[1::2],
        (1, 2.0, np.float32(3), 4),
        [1, 2, 3, 4],
        V.tobytes(),
        bytearray(V.tobytes()),
        memoryview(V),
        np.array((1, 2, 3, 4), RECORD),
        np.array((1, 2, 3, 4), RECORD)[()],
        Four(1, 2, 3, 4),
        (ctypes.c_float * 4)(1, 2, 3, 4),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_vector_is_passed_by_value(kernel: nexus.Kernel, vector: Any) -> None:
    assert run(kernel, vector, W, 0.5) == [1, 4, -6, 0.5]


def test_a_number_may_be_its_bytes(kernel: nexus.Kernel) -> None:
    assert run(kernel, V, W.tobytes(), np.float32(0.25).tobytes()) == [1, 4, -6, 0.25]


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ((V[:3], W, 1), ValueError,
         r"argument 1 \('v'\) is of type nexus_float4 and has 16 bytes, and 12 bytes were given, "
         r"an array of float32\."),
        ((V.tobytes()[1:], W, 1), ValueError, "and 15 bytes were given, of bytes"),
        ((V, W, b"abc"), ValueError, r"argument 3 \('a'\) .* 4 bytes, and 3 bytes were given"),
        ((V.astype(float)[:2], W, 1), TypeError, r"array of float64 .* astype\('float32'\)"),
        ((V, W.astype(np.uint32), 1), TypeError, r"2 int32, and an array of uint32"),
        ((V.astype(ml_dtypes.bfloat16), W, 1), TypeError, "an array of bfloat16"),
        ((V.astype(V.dtype.newbyteorder()), W, 1), ValueError, "byte order"),
        ((np.zeros((), RECORD.newbyteorder()), W, 1), ValueError, "byte order"),
        (((1, 2, 3), W, 1), ValueError, "it takes 4 float32, and 3 were given"),
        (((1, 2, 3, 1e39), W, 1), ValueError, r"argument 1 \('v'\)\[3\] is 1e\+39: it is too"),
        (((1, 2, 3, None), W, 1), TypeError, r"argument 1 \('v'\)\[3\] has to be a float"),
        ((V, (1, 2.5), 1), TypeError, r"argument 2 \('w'\)\[1\] has to be an int"),
        ((1.0, W, 1), TypeError, r"a tuple, list or array of 4 float32, 16 bytes .* not float"),
        (("abcd", W, 1), TypeError, r"not str \('abcd'\)"),
        ((V, W, V[:1]), TypeError, r"argument 3 \('a'\) has to be a float"),
    ],
)  # fmt: skip
def test_what_is_no_value_of_the_argument_is_refused(
    kernel: nexus.Kernel, values: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        run(kernel, *values)


def test_a_dtype_beside_a_vector_is_refused(kernel: nexus.Kernel) -> None:
    command = nexus.get_device("cpu").create_schedule().create_command(kernel)
    with pytest.raises(TypeError, match=r"dtype of argument 1 .* None for the type nexus_float4"):
        command.set_arg(1, V, "float32")


def test_nexus_run_takes_vectors() -> None:
    inputs = {"v": V, "w": (5, -6), "a": 2}
    out = nexus.run(VECTORS, inputs, {"out": (4,)}, grid_size=1, device="cpu")
    assert out.tolist() == [1, 4, -6, 2]


def test_nexus_run_refuses_a_buffer_for_a_vector() -> None:
    buffer = nexus.get_device("cpu").create_buffer(V)
    with pytest.raises(TypeError, match=r"argument 1 \('v'\) has to be the value of a nexus_fl"):
        nexus.run(VECTORS, {"v": buffer, "w": W, "a": 2}, {"out": (4,)}, 1, device="cpu")


def test_a_plain_kernel_takes_bytes() -> None:
    device = nexus.get_device("cpu")
    source = """
    void sum(float *out, const float *v) { out[0] = v[0] + v[1] + v[2] + v[3]; }
    """
    kernel = device.compile(source, language="c").get_kernel("sum")
    out = device.create_buffer((1,))
    schedule = device.create_schedule()
    schedule.create_command(kernel, (out, V.tobytes()), grid_size=1)
    schedule.run()
    assert out.numpy()[0] == 10
