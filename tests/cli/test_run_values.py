# SPDX-License-Identifier: Apache-2.0
"""The values that `nexus run` takes, as words."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nexus.cli._misuse import Misuse
from nexus.cli._values import Local, Untyped, parse_size, parse_value


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("3", 3), ("-3", -3), ("+3", 3), ("0x1f", 31), ("007", 7), ("2.5", 2.5), ("-.5", -0.5),
        ("2.", 2.0), ("1e-3", 1e-3), ("1E3", 1000.0), ("inf", math.inf), ("-inf", -math.inf),
    ],
)  # fmt: skip
def test_a_number_without_a_letter_is_of_the_kernels_type(word: str, value: float) -> None:
    parsed = parse_value(word)
    assert parsed == Untyped(value)
    assert type(parsed.value) is type(value)


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        ("2.0f", np.float32(2)), ("1e-3f", np.float32(1e-3)), ("-1.5F", np.float32(-1.5)),
        ("3f", np.float32(3)), ("3u", np.uint32(3)), ("0xffu", np.uint32(255)),
        ("-7l", np.int64(-7)), ("7LL", np.int64(7)), ("7ul", np.uint64(7)),
        ("int32:7", np.int32(7)), ("int8:-128", np.int8(-128)), ("uint64:18446744073709551615",
        np.uint64(2**64 - 1)), ("float64:2", np.float64(2)), ("float16:0.5", np.float16(0.5)),
        ("bool:true", np.bool_(True)), ("true", np.bool_(True)), ("false", np.bool_(False)),
    ],
)  # fmt: skip
def test_a_letter_or_a_dtype_says_the_type(word: str, typed: Any) -> None:
    parsed = parse_value(word)
    assert parsed == typed
    assert parsed.dtype == typed.dtype


def test_a_kernel_that_does_not_say_its_types_gets_those_of_c() -> None:
    assert parse_value("3").typed().dtype == np.int32
    assert parse_value("2.5").typed().dtype == np.float64


def test_arrays_and_local_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(3))
    assert parse_value(str(tmp_path / "x.npy")).tolist() == [0, 1, 2]
    zeros = parse_value("float32[2, 3]")
    assert (zeros.shape, zeros.dtype, zeros.any()) == ((2, 3), np.float32, False)
    assert parse_value("local[64]") == Local(64)


def test_a_vector_is_numbers_of_a_dtype() -> None:
    vector = parse_value("float32:1,-2.5, 3e1,4")
    assert (vector.tolist(), vector.dtype) == ([1, -2.5, 30, 4], np.float32)
    with pytest.raises(Misuse, match="'uint32:-1': uint32 goes from 0"):
        parse_value("uint32:1,-1")
    with pytest.raises(Misuse, match="'float32:': '' is not a valid float32"):
        parse_value("float32:1,,2")


def test_a_comma_behind_one_number_makes_an_array() -> None:
    assert parse_value("float32:1,").tolist() == [1.0]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("", "'' is not a value"), ("x", "'x' is not a value"), ("3x", "'3x' is not a value"),
        ("2.0u", "'2.0u' is not a value"), ("float32", "'float32' is not a value"),
        ("int9:1", "the dtype is 'int9': it has to be a name such as 'float32'"),
        ("f4[16]", "give 'float32' (numpy's) or 'float4_e2m1fn'"),
        ("int8:128", "'int8:128': int8 goes from -128 to 127."),
        ("uint8:-1", "uint8 goes from 0 to 255."), ("int32:2.5", "'2.5' is not a valid int32."),
        ("float32:x", "'x' is not a valid float32."), ("bool:2", "'2' is not a valid bool."),
        ("float32:1e300", "1e300 is beyond the largest float32."),
        ("1e300f", "1e300 is beyond the largest float32."),
        ("4294967296u", "uint32 goes from 0 to 4294967295."),
        ("float32[]", "write the lengths between the brackets"),
        ("float32[-1]", "write the lengths between the brackets"),
        ("local[0]", "a length is at least 1."), ("warp[4]", "the dtype is 'warp'"),
        ("local[2,2]", "local memory is a number of bytes"),
        ("float64[9999999999,9999999999]", "too large for this machine"),
    ],
)  # fmt: skip
def test_what_is_no_value_is_told(word: str, told: str) -> None:
    with pytest.raises(Misuse) as error:
        parse_value(word)
    assert told in str(error.value)


def test_a_number_without_a_type_that_c_could_not_hold_is_told() -> None:
    with pytest.raises(Misuse, match="int32 goes from"):
        parse_value("4294967296").typed()


def test_lengths() -> None:
    assert parse_size("--grid", "4") == (4,)
    assert parse_size("--grid", "4, 5,6") == (4, 5, 6)
