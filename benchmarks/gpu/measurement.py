# SPDX-License-Identifier: Apache-2.0
"""A line of the GPU's table: the times of all sides, the compared figure, the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness import Timing

_UNITS = (("s", 1.0), ("ms", 1e3), ("us", 1e6))


@dataclass(frozen=True)
class Measurement:
    """A measurement.

    Attributes:
        name: the line's name.
        goal: what must be reached, in words.
        timings: the seconds of each side, ours first; empty if nothing was measured.
        figure: the value to compare with the goal, such as `(ours - C) / (cuda.core - C) = 0.41`.
        met: whether the goal is reached; None if that was not measured.
        notes: what a reader needs to judge the numbers.
    """

    name: str
    goal: str
    timings: Sequence[Timing] = ()
    figure: str = ""
    met: bool | None = None
    notes: list[str] = field(default_factory=list)

    @classmethod
    def missing(cls, name: str, goal: str, reason: object) -> Measurement:
        """Makes a line without figures, with the reason."""
        return cls(name, goal, notes=[f"not measured: {reason}"])

    def as_json(self) -> dict[str, Any]:
        """Returns the line as a dict, with times in seconds."""
        return asdict(self)


def verdict(line: dict[str, Any]) -> str:
    """Returns `met`, `MISSED` or `not measured` for a line from JSON."""
    if line["met"] is None:
        return "not measured"
    return "met" if line["met"] else "MISSED"


def in_words(seconds: float) -> str:
    """Returns a text such as `3.125 us` or `-310 ns`."""
    for unit, scale in _UNITS:
        if abs(seconds) * scale >= 1:
            return f"{seconds * scale:.3f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def share(part: float, whole: float) -> float:
    """Returns part / whole; infinity if whole is not positive, zero if part is not."""
    if part <= 0:
        return 0.0
    return part / whole if whole > 0 else float("inf")
