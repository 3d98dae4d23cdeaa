# SPDX-License-Identifier: Apache-2.0
"""The names of data types: text, nexus.data_type, numpy, ml_dtypes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import nexus
from nexus import data_type


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("float32", "float32"),
        ("fp32", "float32"),
        ("f32", "float32"),
        ("fp16", "float16"),
        ("f16", "float16"),
        ("bf16", "bfloat16"),
        ("bfloat16", "bfloat16"),
        ("f64", "float64"),
        ("i32", "int32"),
        ("fp8", "float8_e4m3fn"),
        ("bf8", "float8_e5m2"),
        ("int4", "int4"),
        ("half", "float16"),
        ("double", "float64"),
        ("f2", "float16"),
        ("i2", "int16"),
        ("u1", "uint8"),
        ("b1", "bool"),
        ("<f4", "float32"),
        ("=i8", "int64"),
        ("|u1", "uint8"),
        (np.dtype("f4"), "float32"),
        (np.dtype("i8"), "int64"),
        ("bool", "bool"),
        (data_type.F32, "float32"),
        (data_type.BF16, "bfloat16"),
        (data_type.U64, "uint64"),
        (np.float32, "float32"),
        (np.dtype("int16"), "int16"),
        (np.bool_, "bool"),
        (np.longlong, "int64"),
        (np.dtype(np.ulonglong), "uint64"),
        (bool, "bool"),
    ],
)
def test_a_name_of_a_dtype(device: nexus.Device, dtype: Any, name: str) -> None:
    assert device.create_buffer((8,), dtype=dtype).dtype == name


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("f4", "'float32' .*'float4_e2m1fn'"),
        ("f8", "'float64' .*'float8_e4m3fn'"),
        ("i4", "'int32' .*'int4'"),
        ("i8", "'int64' .*'int8'"),
        ("u4", "'uint32' .*'uint4'"),
        ("u8", "'uint64' .*'uint8'"),
    ],
)
def test_a_code_that_means_bytes_to_numpy_and_bits_to_others_is_refused(
    device: nexus.Device, code: str, names: str
) -> None:
    with pytest.raises(ValueError, match=f"dtype is '{code}': .*{names}"):
        device.create_buffer((8,), dtype=code)


@pytest.mark.parametrize("code", [*"?bBhHiIlLqQefd", "<f", "=d", "short", "uintc", "long"])
def test_numpys_other_codes_mean_what_they_mean_to_numpy(device: nexus.Device, code: str) -> None:
    assert device.create_buffer((8,), dtype=code).dtype == np.dtype(code).name


def test_the_dtypes_of_ml_dtypes(device: nexus.Device) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="pip install ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        dtype = getattr(ml_dtypes, name)
        assert device.create_buffer((8,), dtype=dtype).dtype == name
        assert device.create_buffer((8,), dtype=np.dtype(dtype)).dtype == name


def test_an_object_that_prints_as_torch_does(device: nexus.Device) -> None:
    class TorchDtype:
        def __repr__(self) -> str:
            return "torch.float16"

    assert device.create_buffer((8,), dtype=TorchDtype()).dtype == "float16"


@pytest.mark.parametrize(
    ("dtype", "names"),
    [
        (float, "'float32' or 'float64'"),
        ("float", "'float32' or 'float64'"),
        (int, "'int32'"),
        ("int", "'int32'"),
    ],
)
def test_pythons_numbers_say_no_width(device: nexus.Device, dtype: Any, names: str) -> None:
    with pytest.raises(ValueError, match=f"has no fixed width.*{names}"):
        device.create_buffer((8,), dtype=dtype)


def test_an_object_whose_dtype_has_a_dtype_without_end_is_a_type_error(
    device: nexus.Device,
) -> None:
    class Endless:
        @property
        def dtype(self) -> Endless:
            return self

    with pytest.raises(TypeError, match="dtype has to be"):
        device.create_buffer((8,), dtype=cast(Any, Endless()))


def test_the_dtype_compares_with_numpys(device: nexus.Device) -> None:
    assert device.create_buffer((8,), dtype="f16").dtype == np.dtype(np.float16)
