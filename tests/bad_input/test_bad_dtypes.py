# SPDX-License-Identifier: Apache-2.0
"""Data types that there are not, in every place that takes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from workbench import Workbench, Wrong, by_name, check_refused, check_wrong, refused, wrong

import nexus
from nexus import data_type

PLACES: dict[str, Callable[[Workbench, Any], object]] = {
    "a shape": lambda b, dtype: b.device.create_buffer((4,), dtype=dtype),
    "a number of elements": lambda b, dtype: b.device.create_buffer(16, dtype=dtype),
    "an array": lambda b, dtype: b.device.create_buffer(np.zeros(4, np.float32), dtype=dtype),
    "a system buffer": lambda b, dtype: nexus.create_buffer((4,), dtype=dtype),
    "an argument": lambda b, dtype: b.command.set_arg(1, 2.0, dtype=dtype),
}

WRONG = [
    wrong("letters in another order", "flaot32", ValueError,
          "dtype is 'flaot32'", "near names are", "'float32'"),
    wrong("a width that there is not", "int23", ValueError,
          "dtype is 'int23'", "near names are", "'int32'"),
    wrong("a width of another type", "bfloat61", ValueError,
          "dtype is 'bfloat61'", "near names are", "'bfloat16'"),
    wrong("capital letters", "Float32", ValueError, "dtype is 'Float32'", "'float32'"),
    wrong("nothing like a name", "warp", ValueError, "dtype is 'warp'", "'float32' or 'bf16'"),
    wrong("an empty name", "", ValueError, "dtype is ''", "'float32' or 'bf16'"),
    wrong("a name with a zero byte", "float32\0", ValueError, "dtype is 'float32\\x00'"),
    wrong("a lone surrogate", "\ud800", ValueError, "dtype is '\\ud800'"),
    wrong("a long complex type", np.clongdouble, ValueError, "dtype is <class 'numpy.c"),
    wrong("Python's complex", complex, ValueError, "dtype is <class 'complex'>", "'complex64'"),
    wrong("another byte order", np.dtype(">f4"), ValueError, "dtype is dtype('>f4')", "byte order"),
    wrong("a code of another byte order", ">f4", ValueError, "dtype is '>f4'", "byte order"),
    wrong("a letter of another byte order", ">d", ValueError, "dtype is '>d'", "byte order"),
    wrong("Python's float", float, ValueError, "dtype is <class 'float'>", "no fixed width"),
    wrong("Python's int", int, ValueError, "dtype is <class 'int'>", "no fixed width"),
    wrong("a structure of another byte order", np.dtype([("x", ">f4")]), ValueError,
          "dtype is dtype([('x', '>f4')])", "byte order"),
    wrong("a structure with objects", np.dtype([("x", "O")]), ValueError,
          "dtype is dtype([('x', 'O')])", "objects"),
    wrong("a structure that is too large", np.dtype([("x", "f4", 1 << 14)]), ValueError,
          "dtype is dtype([('x', '<f4', (16384,))])", "65536 bytes", "65535"),
    wrong("a structure of nothing", np.dtype([]), ValueError, "dtype is dtype([])"),
    wrong("bytes without a type", np.dtype("V8"), ValueError, "dtype is dtype('V8')"),
    wrong("an int", 1, TypeError, "dtype has to be", "int (1)"),
    wrong("a negative int", -1, TypeError, "dtype has to be", "int (-1)"),
    wrong("a huge int", 2**70, TypeError, "dtype has to be", "int (1180591620717411303424)"),
    wrong("a bool", True, TypeError, "dtype has to be", "bool (True)"),
    wrong("a float", 4.0, TypeError, "dtype has to be", "float (4.0)"),
    wrong("a list", ["float32"], TypeError, "dtype has to be", "list (['float32'])"),
    wrong("bytes", b"float32", TypeError, "dtype has to be", "bytes (b'float32')"),
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wrong", WRONG, ids=by_name)
def test_what_names_no_dtype_is_refused(bench: Workbench, place: str, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: PLACES[place](b, wrong.value))


@pytest.mark.parametrize("place", ["an array", "an argument"])
def test_the_type_of_plain_bytes_is_no_numbers(bench: Workbench, place: str) -> None:
    undefined = data_type.Undefined
    case = refused("", lambda b: PLACES[place](b, undefined), TypeError, "dtype", "Undefined")
    check_refused(bench, case)


def test_an_array_of_another_dtype_than_told_is_refused(bench: Workbench) -> None:
    array = np.zeros(4, np.float64)
    case = refused(
        "",
        lambda b: b.device.create_buffer(array, dtype="float32"),
        TypeError,
        "dtype has to be that of the array, float64 (convert the array with astype first)",
        "str ('float32')",
    )
    check_refused(bench, case)


def test_a_dtype_for_a_buffer_that_is_an_argument_is_refused(bench: Workbench) -> None:
    case = refused(
        "",
        lambda b: b.command.set_arg(0, b.data, dtype="float32"),
        TypeError,
        "dtype has to be None for a buffer",
        "str ('float32')",
    )
    check_refused(bench, case)


def test_a_dtype_that_is_not_the_kernels_is_refused(bench: Workbench) -> None:
    case = refused(
        "",
        lambda b: b.command.set_arg(1, 2.0, dtype="float64"),
        TypeError,
        "dtype of argument 1",
        "the kernel's, float32",
        "'float64'",
    )
    check_refused(bench, case)
