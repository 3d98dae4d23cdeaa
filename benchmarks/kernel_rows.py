# SPDX-License-Identifier: Apache-2.0
"""Measures a work: ours beside OpenMP in C and beside each OpenCL runtime."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from harness import Contestant, NotMeasured, Result, Timing, interleave, timed_calls
from opencl_cpu import OpenCL, opencl_peers
from opencl_side import OpenCLSide
from openmp import openmp_sides
from our_side import NexusSide, cpu_side
from work import AS_FAST_AS_OPENMP, FASTER, Arrays, Goal, Work


class Side(Protocol):
    """A side that computes a work."""

    label: str

    @property
    def run(self) -> Callable[[], Any]:
        """Computes, and returns when the results are there."""

    def clear(self) -> None:
        """Makes the outputs zero, so that each side's own results are compared."""

    def results(self) -> Arrays:
        """Returns copies of the outputs."""


class _Rival:
    """Peers of one kind, of which the fastest counts, and the goal beside it."""

    def __init__(self, kind: str, goal: Goal, sides: Sequence[Side], notes: list[str]) -> None:
        self.kind = kind
        self.goal = goal
        self.sides = sides
        self.notes = notes


def measure_work(
    work: Work, *, precisions: Sequence[str] = ("precise",), repeats: int, calls: int = 1
) -> list[Result]:
    """Returns a row for each precision and kind of peer.

    Args:
        precisions: "precise", "fast": of the mathematics.
        repeats: the measurements of each side.
        calls: the runs of one measurement, of which the mean counts.
    """
    results = []
    for precision in precisions:
        name = work.name if len(precisions) == 1 else f"{work.name}, {precision}"
        with tempfile.TemporaryDirectory() as folder:
            results += _measure(
                work, name, Path(folder), precision == "fast", repeats=repeats, calls=calls
            )
    return results


def _measure(
    work: Work, name: str, folder: Path, fast_math: bool, *, repeats: int, calls: int
) -> list[Result]:
    ours = cpu_side(work, fast_math=fast_math)
    rivals = _rivals(work, ours, folder, fast_math)
    errors: dict[Side, float] = {ours: checked(work, ours)}
    peers = [side for rival in rivals for side in rival.sides]
    for peer in peers:
        errors[peer] = checked(work, peer)
    sides: list[Side] = [ours, *peers]
    timings = interleave(
        [Contestant(side.label, timed_calls(side.run, (), calls)) for side in sides], repeats
    )
    timing_of: dict[Side, Timing] = dict(zip(sides, timings, strict=True))
    return [_result(work, name, ours, rival, timing_of, errors) for rival in rivals]


def _rivals(work: Work, ours: NexusSide, folder: Path, fast_math: bool) -> list[_Rival]:
    rivals = []
    if work.openmp:
        notes: list[str] = []
        loops = openmp_sides(work, folder, notes, ours.memory, fast_math=fast_math)
        rivals.append(_Rival("OpenMP", AS_FAST_AS_OPENMP, loops, notes))
    try:
        runtimes, notes = opencl_peers(lambda runtime: _opencl_side(work, ours, runtime, fast_math))
    except NotMeasured as reason:
        return [*rivals, _Rival("OpenCL", FASTER, (), [str(reason)])]
    for each in runtimes:
        pocl = each.runtime.is_pocl
        kind, goal = ("PoCL", work.pocl_goal) if pocl else ("Intel", FASTER)
        rivals.append(_Rival(kind, goal, [each], notes))
        notes = []
    return rivals


def _opencl_side(work: Work, ours: NexusSide, runtime: OpenCL, fast_math: bool) -> OpenCLSide:
    """Returns the peer, without fast mathematics if that makes it too inaccurate."""
    precise = OpenCLSide(work, runtime, ours.group_sizes, fast_math=False)
    if not fast_math:
        return precise
    fast = OpenCLSide(work, runtime, ours.group_sizes, fast_math=True)
    fast.run()
    error = work.error(fast.results())
    if error <= work.allowed_error:
        return fast
    precise.label += f", precise, since fast is {error:.3g} {work.unit} off"
    return precise


def checked(work: Work, side: Side) -> float:
    """Returns the error of the side's results. Raises Mismatch if it is too large."""
    side.clear()
    side.run()
    return work.check(side.label, side.results())


def _result(
    work: Work,
    name: str,
    ours: NexusSide,
    rival: _Rival,
    timings: dict[Side, Timing],
    errors: dict[Side, float],
) -> Result:
    goal = rival.goal.text.format(rival.kind)
    if not rival.sides:
        return Result(name, goal, notes=[f"not measured: {'; '.join(rival.notes)}"])
    best = min(rival.sides, key=lambda side: timings[side].median)
    notes = [
        f"beside {side.label}: {timings[side].median * 1e3:.3f} ms, error {errors[side]:.3g}"
        for side in rival.sides
        if side is not best
    ]
    ratio = timings[ours].median / timings[best].median
    return Result(
        name,
        goal,
        timings[ours],
        timings[best],
        ratio,
        ratio <= rival.goal.ratio,
        [*rival.notes, *notes],
        f"{errors[ours]:.3g} / {errors[best]:.3g} {work.unit}",
    )
