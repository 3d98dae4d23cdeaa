# SPDX-License-Identifier: Apache-2.0
"""Text for people: columns, sizes and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """The rows as lines whose cells stand below each other; the last cell is not padded."""
    if not rows:
        return []
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        (
            indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def size_text(count: int) -> str:
    """A number of bytes in the largest binary unit that leaves at least 1, such as '15.6 GiB'."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def time_text(seconds: float) -> str:
    """A time in s, ms or us, with two digits after the point."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.2f} ms"
    return f"{seconds * 1e6:.2f} us"


def property_lines(properties: Mapping[str, Any], indent: str = "  ") -> list[str]:
    """One line for each property; the parts of a structured one stand below it, indented."""
    width = max((len(key) for key in properties), default=0)
    lines = []
    for key, value in properties.items():
        if _is_structure(value):
            lines.append(f"{indent}{key}")
            lines += _structure_lines(value, indent + "  ")
        else:
            lines.append(f"{indent}{key.ljust(width)}  {_scalar_text(value)}")
    return lines


def _is_structure(value: Any) -> bool:
    """Whether it is an object, or a list that holds one."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(_is_structure(part) for part in value)
    )


def _structure_lines(value: Any, indent: str) -> list[str]:
    if isinstance(value, Mapping):
        return property_lines(value, indent)
    lines = []
    for index, part in enumerate(value):
        lines.append(f"{indent}[{index}]")
        lines += _structure_lines(part, indent + "  ") if _is_structure(part) else []
    return lines


def _scalar_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
