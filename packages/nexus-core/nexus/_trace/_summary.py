# SPDX-License-Identifier: Apache-2.0
"""Summarizes a trace: how often and how long each thing ran."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from nexus._trace._file import Slice, Trace

_ON_DEVICE = ("kernel", "schedule", "fill", "map")


@dataclass(frozen=True)
class Total:
    """The sum of all slices of one name. Times are in seconds.

    Attributes:
        share: the share of the table's total time, 0 to 1.
        copied: bytes, and `rate` in bytes per second; 0 if nothing is copied.
    """

    name: str
    count: int
    total: float
    mean: float
    longest: float
    share: float
    copied: int = 0

    @property
    def rate(self) -> float:
        """The rate in bytes per second."""
        return self.copied / self.total if self.total else 0.0


@dataclass(frozen=True)
class StreamUse:
    """How busy a stream was, from the begin of the first work to the end of the last.

    Attributes:
        times: how its times were measured.
        idle: the share of that time without work, 0 to 1.
    """

    device: str
    stream: str
    times: str
    count: int
    busy: float
    idle: float


@dataclass(frozen=True)
class Summary:
    """The tables of a trace, sorted by time, longest first."""

    kernels: list[Total]
    copies: list[Total]
    waits: list[Total]
    calls: list[Total]
    ranges: list[Total]
    streams: list[StreamUse]
    unfinished: list[str]
    errors: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """Returns the summary as JSON, with times in seconds."""
        return asdict(self)


def summarize(trace: Trace) -> Summary:
    """Makes the tables of a trace."""
    return Summary(
        kernels=_totals(each for each in trace.work if each.category in _ON_DEVICE),
        copies=_totals(each for each in trace.work if each.category == "copy"),
        waits=_totals(each for each in trace.work if each.category == "wait"),
        calls=_totals(trace.calls),
        ranges=_totals(trace.ranges),
        streams=_streams(trace),
        unfinished=[*trace.waiting, *(each.name for each in trace.work if _is_unfinished(each))],
        errors=trace.errors,
    )


def _is_unfinished(work: Slice) -> bool:
    return str(work.details.get("state", "")).startswith("not known")


def _totals(slices: Iterable[Slice]) -> list[Total]:
    named: dict[str, list[Slice]] = defaultdict(list)
    for each in slices:
        named[each.name].append(each)
    seconds = {name: [each.duration / 1e6 for each in found] for name, found in named.items()}
    whole = sum(sum(each) for each in seconds.values()) or 1.0
    totals = [
        Total(
            name,
            len(times),
            sum(times),
            sum(times) / len(times),
            max(times),
            sum(times) / whole,
            sum(each.details.get("copied", 0) for each in named[name]),
        )
        for name, times in seconds.items()
    ]
    return sorted(totals, key=lambda each: each.total, reverse=True)


def _streams(trace: Trace) -> list[StreamUse]:
    running = [each for each in trace.work if each.category != "mark"]
    if not running:
        return []
    span = max(each.end for each in running) - min(each.begin for each in running)
    used: dict[tuple[int, int], list[Slice]] = defaultdict(list)
    for each in running:
        used[each.track].append(each)
    streams = []
    for track, found in sorted(used.items()):
        # A stream that waits for an event does nothing.
        busy = sum(each.duration for each in found if each.category != "wait")
        idle = 1 - busy / span if span else 0.0
        times = trace.labels.get(track[0], "")
        device = trace.processes.get(track[0], "")
        name = trace.tracks.get(track, "")
        streams.append(StreamUse(device, name, times, len(found), busy / 1e6, idle))
    return streams
