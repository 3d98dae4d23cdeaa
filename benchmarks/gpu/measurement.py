# SPDX-License-Identifier: Apache-2.0
"""One line of the GPU's table: the times of all sides, the figure that counts, the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness import Timing

_UNITS = (("s", 1.0), ("ms", 1e3), ("us", 1e6))


@dataclass(frozen=True)
class Measurement:
    """What was measured.

    Attributes:
        name: of the line.
        goal: what must be reached, in words.
        timings: seconds of each side, ours first; empty where nothing was measured.
        figure: what the goal speaks of, such as `(ours - C) / (cuda.core - C) = 0.41`.
        met: whether the goal is reached; None where that was not measured.
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
        """A line that has no figures, and why."""
        return cls(name, goal, notes=[f"not measured: {reason}"])

    def as_json(self) -> dict[str, Any]:
        """The line, with times in seconds."""
        return asdict(self)


def verdict(line: dict[str, Any]) -> str:
    """`met`, `MISSED` or `not measured`, of a line from JSON."""
    if line["met"] is None:
        return "not measured"
    return "met" if line["met"] else "MISSED"


def in_words(seconds: float) -> str:
    """`3.125 us`, `-310 ns`."""
    for unit, scale in _UNITS:
        if abs(seconds) * scale >= 1:
            return f"{seconds * scale:.3f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def share(part: float, whole: float) -> float:
    """part / whole; infinity where the whole is nothing or less, and zero where the part is."""
    if part <= 0:
        return 0.0
    return part / whole if whole > 0 else float("inf")
