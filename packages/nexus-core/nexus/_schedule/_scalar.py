# SPDX-License-Identifier: Apache-2.0
"""Converts the bytes of scalars to Python numbers, and back."""

from __future__ import annotations

import struct
from typing import Any

_FORMATS = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
}


def number(data: bytes, dtype: str | None) -> Any:
    """Returns the number, or the bytes if no Python number gives exactly these bytes."""
    form = _FORMATS.get(dtype or "")
    if form is None or len(data) != struct.calcsize(form):
        return data
    (value,) = struct.unpack(form, data)
    return value if value == value and struct.pack(form, value) == data else data


def data_of(value: Any, dtype: str | None) -> bytes:
    """Returns the bytes of a result of number().

    Raises:
        ValueError: the value is not a number of that type.
    """
    if isinstance(value, bytes):
        return value
    form = _FORMATS.get(dtype or "")
    if form is None:
        raise ValueError(f"a scalar of dtype {dtype!r} is given as bytes")
    if isinstance(value, bool) != (form == "?"):
        raise ValueError(f"it is not a number of {dtype}")
    try:
        return struct.pack(form, value)
    except (struct.error, OverflowError):
        raise ValueError(f"it is not a number of {dtype}") from None
