# SPDX-License-Identifier: Apache-2.0
"""Shared by the rows: interleaved timing, results, and the machine's description."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_PAUSE = 0.005  # seconds
_WAKING = 3e-3  # seconds of calls that are not counted

Arguments = tuple[Any, ...]


class Mismatch(Exception):
    """Ours and the peer computed different results, so their times mean nothing."""


class NotMeasured(Exception):
    """Something that the row needs is missing. The text says what it is and how to get it."""


@dataclass(frozen=True)
class Timing:
    """The seconds of one call: the median and the quartiles of repeats."""

    label: str
    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, label: str, seconds: Sequence[float]) -> Timing:
        """Makes the timing of these measurements."""
        low, _, high = statistics.quantiles(seconds, n=4)
        return cls(label, statistics.median(seconds), low, high, len(seconds))


@dataclass(frozen=True)
class Result:
    """A row of the table.

    Attributes:
        ratio: ours / peer, of the medians: below 1 ours is faster.
        met: whether ours reaches `goal`; None if it was not measured.
        notes: what a reader needs to judge the numbers.
        errors: the largest error of ours and of the peer's result, if they may differ.
    """

    name: str
    goal: str
    ours: Timing | None = None
    peer: Timing | None = None
    ratio: float | None = None
    met: bool | None = None
    notes: list[str] = field(default_factory=list)
    errors: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns the row as a dict, with times in seconds."""
        return asdict(self)


@dataclass(frozen=True)
class Contestant:
    """A side of a row.

    Attributes:
        label: the name and version.
        batch: makes one measurement and returns the seconds of one call.
    """

    label: str
    batch: Callable[[], float]


def timed_calls(call: Callable[..., Any], arguments: Arguments, calls: int) -> Callable[[], float]:
    """Returns a batch that wakes threads and returns the mean seconds of `calls` calls."""

    def batch() -> float:
        _wake(call, arguments)
        start = time.perf_counter()
        for _ in range(calls):
            call(*arguments)
        return (time.perf_counter() - start) / calls

    return batch


def _wake(call: Callable[..., Any], arguments: Arguments) -> None:
    """Calls until sleeping threads are awake, which in a virtual machine takes a millisecond.

    One call is not enough if the caller does all the work before they come.
    """
    start = time.perf_counter()
    while True:
        call(*arguments)
        if time.perf_counter() - start >= _WAKING:
            return


def timed_submissions(
    submit: Callable[..., Any], arguments: Arguments, drain: Callable[[], Any], calls: int
) -> Callable[[], float]:
    """Returns a batch that times `calls` submissions but not the wait for their work."""

    def batch() -> float:
        submit(*arguments)
        drain()
        start = time.perf_counter()
        for _ in range(calls):
            submit(*arguments)
        seconds = (time.perf_counter() - start) / calls
        drain()
        return seconds

    return batch


def interleave(contestants: Sequence[Contestant], repeats: int) -> list[Timing]:
    """Measures all sides in turns, so that a change of the clock or load meets all alike.

    The order rotates with each repeat; the first measurement of each is dropped. A pause before
    each measurement lets the threads of the other side stop spinning and go to sleep.
    """
    seconds: list[list[float]] = [[] for _ in contestants]
    for contestant in contestants:
        contestant.batch()
    for repeat in range(repeats):
        for position in range(len(contestants)):
            index = (position + repeat) % len(contestants)
            time.sleep(_PAUSE)
            seconds[index].append(contestants[index].batch())
    return [Timing.of(c.label, s) for c, s in zip(contestants, seconds, strict=True)]


def race(
    name: str,
    goal: str,
    contestants: Sequence[Contestant],
    repeats: int,
    *,
    limit: float = 1.0,
    allowance: float = 0.0,
    notes: Sequence[str] = (),
    errors: str | None = None,
) -> Result:
    """Measures ours, the first contestant, and its peers; returns the row beside the fastest peer.

    The goal is met if ours takes at most `limit` times the peer's seconds plus `allowance`.
    """
    ours, *peers = interleave(contestants, repeats)
    best = min(peers, key=lambda timing: timing.median)
    met = ours.median <= limit * best.median + allowance
    ratio = ours.median / best.median
    return Result(name, goal, ours, best, ratio, met, list(notes), errors)


def version_of(distribution: str) -> str:
    """Returns a text such as `numba 0.60.0`. Raises NotMeasured if it is not installed."""
    try:
        return f"{distribution} {importlib.metadata.version(distribution)}"
    except importlib.metadata.PackageNotFoundError as error:
        raise NotMeasured(
            f"needs {distribution}: pip install -r benchmarks/requirements.txt"
        ) from (error)


def our_version() -> str:
    """Returns a text such as `nexus 0.1.0`."""
    import nexus

    return f"nexus {nexus.__version__}"


def wheel_file(distribution: str, name: str) -> Path | None:
    """Returns the path of an installed distribution's file; None if there is no such file."""
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())).resolve() for file in files if file.name == name)
    return next((path for path in paths if path.is_file()), None)


def machine() -> dict[str, Any]:
    """Returns what the numbers depend on: processor, cores, load, system and Python."""
    usable = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return {
        "processor": _processor_name(),
        "cores": usable,
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        # "3.14.0t" if it is free-threaded
        "python": f"{platform.python_implementation()} {platform.python_version()}{sys.abiflags}",
    }


def _processor_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        name = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"],
            capture_output=True, text=True, check=False,
        ).stdout.strip()  # fmt: skip
        return f"{name}, macOS {platform.mac_ver()[0]}"
    return platform.processor() or platform.machine()
