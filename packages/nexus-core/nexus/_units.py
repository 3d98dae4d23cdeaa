# SPDX-License-Identifier: Apache-2.0
"""Formats values in readable units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nexus.property import Property

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_FLOATS = ("float", "tfloat", "bfloat")


def size_text(count: float) -> str:
    """Formats bytes in the largest binary unit that gives at least 1, such as '15.6 GiB'."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def time_text(seconds: float) -> str:
    """Formats a time in s, ms or us, with two digits after the point."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds * 1e6:.2f} us"


def counted(count: int, noun: str) -> str:
    """Returns a count with its noun: '1 core', '2 cores' or '2 libraries'."""
    if count != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count} {noun}"


def decimal_text(value: float, unit: str) -> str:
    """Formats a number with the decimal prefix that gives at least 1, such as '4.8 TB/s'."""
    step = 0
    while abs(value) >= 1000 and step + 1 < len(_PREFIXES):
        value /= 1000
        step += 1
    return f"{value:.4g} {_PREFIXES[step]}{unit}".rstrip()


def clock_text(megahertz: float) -> str:
    """Formats a clock: '800 MHz' or '1.98 GHz'."""
    if megahertz < 1000:
        return f"{megahertz:g} MHz"
    return f"{megahertz / 1000:g} GHz"


def count_text(count: float) -> str:
    """Formats a large count in words, such as '80 billion'; a small one in digits."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= size:
            return f"{count / size:.4g} {word}"
    return f"{count:g}"


def operation_unit(data_type: str) -> str:
    """Returns the unit of a data type's operations: FLOP, or OP for integers."""
    return "FLOP" if data_type.startswith(_FLOATS) else "OP"


def list_text(values: Sequence[Any]) -> str:
    """Joins the parts of a list."""
    return ", ".join(map(str, values))


def lengths_text(values: Sequence[int]) -> str:
    """Formats lengths in x, y and z."""
    return " x ".join(map(str, values))


def value_text(key: str, value: Any) -> str:
    """Formats a value in the unit of its key in the catalogue, if the key has one."""
    if isinstance(value, list):
        return list_text([value_text(key, part) for part in value])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    known = Property.__members__.get(key)
    return with_unit(value, known.unit if known is not None else "")


def with_unit(value: float, unit: str) -> str:
    """Formats a number with a unit of the catalogue, such as 'B' or 'MHz'."""
    if unit == "B":
        return size_text(value)
    if unit == "MHz":
        return clock_text(value)
    if unit in ("B/s", "1/s"):
        return decimal_text(value, unit)
    number = str(value) if isinstance(value, int) else f"{value:g}"
    shown = {"Cel": "°C", "mm2": "mm²"}.get(unit, unit)
    return f"{number} {shown}".rstrip()
