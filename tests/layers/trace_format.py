# SPDX-License-Identifier: Apache-2.0
"""Rules for the events of every trace, whatever the program did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]

_MEMBERS = {
    "X": {"name", "cat", "ts", "dur"}, "i": {"name", "cat", "ts", "s"},
    "C": {"name", "ts", "args"}, "b": {"name", "cat", "id", "ts", "args"},
    "e": {"name", "cat", "id", "ts"}, "s": {"name", "cat", "id", "ts"},
    "f": {"name", "cat", "id", "ts", "bp"}, "M": {"name", "args"},
}  # fmt: skip
_METADATA = {"process_name", "process_labels", "process_sort_index", "thread_name"}


def check_trace(events: list[Event]) -> None:
    """Raises AssertionError if the events are not a trace."""
    for event in events:
        check_members(event)
    for slices in tracks(events).values():
        check_nesting(slices)
    check_submissions(events)
    check_counters(events)


def of_phase(events: Iterable[Event], phase: str) -> list[Event]:
    """The events of one kind."""
    return [event for event in events if event["ph"] == phase]


def check_members(event: Event) -> None:
    """Each event has what the Trace Event Format asks of its kind, and nothing unknown."""
    wanted = _MEMBERS[event["ph"]]
    assert wanted <= event.keys() <= wanted | {"ph", "pid", "tid", "args"}, event
    assert isinstance(event["pid"], int), event
    assert isinstance(event["tid"], int), event
    assert event.get("ts", 0) >= 0, event
    assert event.get("dur", 0) >= 0, event
    assert event["ph"] != "M" or event["name"] in _METADATA, event


def tracks(events: list[Event]) -> dict[tuple[int, int], list[Event]]:
    """The slices of each track, in their order."""
    found: dict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in of_phase(events, "X"):
        found[event["pid"], event["tid"]].append(event)
    for slices in found.values():
        slices.sort(key=lambda each: (each["ts"], -each["dur"]))
    return found


def end_of(event: Event) -> float:
    """When a slice ended. Nanoseconds are whole, microseconds are not."""
    return round(float(event["ts"]) + float(event["dur"]), 3)


def check_nesting(slices: list[Event]) -> None:
    """A slice lies within one that began before it and has not ended, or beside it."""
    open_slices: list[Event] = []
    for event in slices:
        while open_slices and end_of(open_slices[-1]) <= event["ts"]:
            open_slices.pop()
        if open_slices:
            assert end_of(event) <= end_of(open_slices[-1]), (open_slices[-1], event)
        open_slices.append(event)


def check_submissions(events: list[Event]) -> None:
    """All submitted work was queued, ran and ended; arrows lead from a call to its work."""
    slices = tracks(events)
    numbers = {phase: by_number(of_phase(events, phase)) for phase in "sfbe"}
    assert numbers["s"].keys() == numbers["f"].keys()
    assert numbers["s"].keys() == numbers["b"].keys() == numbers["e"].keys()
    for number, submitted in numbers["s"].items():
        finish, queued, begun = (numbers[phase][number] for phase in "fbe")
        calls = slices[submitted["pid"], submitted["tid"]]
        assert any(
            each["cat"] == "call" and each["ts"] <= submitted["ts"] <= end_of(each)
            for each in calls
        )
        work = [s for s in slices[finish["pid"], finish["tid"]] if s["ts"] == finish["ts"]]
        assert len(work) == 1
        assert queued["ts"] <= begun["ts"] == work[0]["ts"]
        assert queued["ts"] == submitted["ts"]
        assert work[0]["args"]["ticket"] == queued["args"]["ticket"]
        assert work[0]["name"] == queued["args"]["work"]


def by_number(events: list[Event]) -> dict[str, Event]:
    """Events by their id, which is of one only."""
    numbered = {event["id"]: event for event in events}
    assert len(numbered) == len(events)
    return numbered


def check_counters(events: list[Event]) -> None:
    """Counts come in the order of their times, are never below 0, and no work is left over."""
    counts: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in of_phase(events, "C"):
        counts[event["pid"], event["name"]].append(event)
    for (_, name), found in counts.items():
        times = [event["ts"] for event in found]
        values = [event["args"]["value"] for event in found]
        assert times == sorted(times)
        assert min(values) >= 0
        if name == "work in flight":
            assert values[-1] == 0
