# SPDX-License-Identifier: Apache-2.0
"""Text for people: columns, sizes and times."""

from __future__ import annotations

from collections.abc import Sequence


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


def size_text(count: float) -> str:
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
