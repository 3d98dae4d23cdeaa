# SPDX-License-Identifier: Apache-2.0
"""The functions of the original that are written in Python."""

from __future__ import annotations

import sys
from typing import Any

import nexus
from nexus._checks import wrong_type
from nexus.compat._objects import bits_of, buffer, data_type_of, device
from nexus.compat._wrapping import unwrap
from nexus.data_type import DataType, Undefined


def version_info() -> dict[str, str]:
    """Returns the versions of Nexus and Python, and the platform."""
    return {
        "version": nexus.__version__,
        "python_version": sys.version,
        "platform": sys.platform,
    }


def format_device_info(of: Any) -> str:
    """Returns a one-line description of a device. Raises TypeError for another object."""
    if not isinstance(of, device):
        raise wrong_type("device", "a nexus.device", of)
    return f"Device: {of!r} (name={of.get_property_str('Name')})"


def get_data_type(obj: Any) -> DataType:
    """Returns the member of nexus.data_type for a buffer, an array, or a dtype.

    Raises:
        TypeError: obj is none of these, or Nexus does not support its dtype.
    """
    if isinstance(obj, buffer):
        return obj.dtype
    obj = unwrap(obj)
    return data_type_of(obj if isinstance(obj, DataType) else getattr(obj, "dtype", obj))


def get_data_type_size(obj: Any) -> int:
    """Returns the bytes of an element; 1 for types of 4 bits.

    Raises:
        TypeError: obj is not what get_data_type() accepts.
        ValueError: its type is undefined.
    """
    found = get_data_type(obj)
    if found == Undefined:
        raise ValueError(f"obj is {obj!r}, which has no data type; give one of nexus.data_type.")
    return max(1, bits_of(found) // 8)
