# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a trace that the layer `trace` wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nexus import _checks

Event = dict[str, Any]


@dataclass(frozen=True)
class Slice:
    """What lasted: a call of the host, a range, or work of a device.

    Attributes:
        track: the process and the thread of the trace.
        begin: microseconds since the trace began, as `end`.
        details: what the trace tells besides.
    """

    track: tuple[int, int]
    category: str
    name: str
    begin: float
    end: float
    details: dict[str, Any]

    @property
    def duration(self) -> float:
        """In microseconds."""
        return self.end - self.begin


@dataclass(frozen=True)
class Trace:
    """The parts of a trace.

    Attributes:
        processes: names by the process, and `tracks` by the process and the thread.
        labels: how the times of a device were found, by the process.
        work: what devices did, in the order of its begin; `calls` of plug-ins by the host.
        waiting: work that the trace has no end of, by its submission.
        errors: statuses and causes.
    """

    processes: dict[int, str] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    tracks: dict[tuple[int, int], str] = field(default_factory=dict)
    calls: list[Slice] = field(default_factory=list)
    ranges: list[Slice] = field(default_factory=list)
    work: list[Slice] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)


def read_events(path: str | os.PathLike[str]) -> list[Event]:
    """The events of a file, also of one that was cut short: the layer writes one a line.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no trace, or no regular file.
    """
    text = _checks.read_file("path", os.fspath(path)).decode(errors="replace")
    try:
        events = json.loads(text)
    except RecursionError:  # lists within each other, which no trace has
        events = None
    except ValueError:
        events = _whole_lines(text) if text.startswith("[") else None
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise ValueError(f"'{path}' is no trace of Nexus: it holds no list of events.")
    return events


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """The parts of a file. Raises as `read_events`."""
    trace = Trace()
    submitted: dict[str, Event] = {}
    for number, event in enumerate(read_events(path)):
        if not _is_known_form(event):
            raise ValueError(f"'{path}' is no trace of Nexus: event {number} has another form.")
        _add(trace, event, submitted)
    trace.work.sort(key=lambda each: each.begin)
    trace.waiting.extend(event["args"]["work"] for event in submitted.values())
    return trace


def _whole_lines(text: str) -> list[Event]:
    lines = text.splitlines()[1:-1]  # the last one may be half of an event
    whole = [line.rstrip(",") for line in lines if line not in ("", "]")]
    try:
        events: list[Event] = json.loads(f"[{','.join(whole)}]")
    except (ValueError, RecursionError):
        return []
    return events


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    """An int or a float that microseconds or bytes may have; NaN is none."""
    return isinstance(value, (int, float)) and abs(value) < _LARGEST


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


_LARGEST = 1e18
_Form = dict[str, Callable[[object], bool]]
# What the reader takes of an event, by its phase, and of its args.
_EVENT: _Form = {"ph": _is_text, "pid": _is_number, "tid": _is_number}
_SLICE: _Form = {"name": _is_text, "cat": _is_text, "ts": _is_number, "dur": _is_number}
_FORMS: dict[str, tuple[_Form, _Form]] = {
    "M": ({"name": _is_text, "args": _is_object}, {}),
    "b": ({"id": _is_text, "args": _is_object}, {"work": _is_text}),
    "e": ({"id": _is_text}, {}),
    "i": ({"cat": _is_text}, {}),
    "X": (_SLICE, {}),
}
_NAMES: _Form = {"name": _is_text}
_METADATA: dict[str, _Form] = {
    "process_name": _NAMES,
    "thread_name": _NAMES,
    "process_labels": {"labels": _is_text},
}


def _has(found: dict[str, Any], form: _Form) -> bool:
    return all(key in found and fits(found[key]) for key, fits in form.items())


def _is_known_form(event: Event) -> bool:
    """Whether the event has all that is read of it, of the types that the layer writes."""
    if not _has(event, _EVENT):
        return False
    form, details = _FORMS.get(event["ph"], ({}, {}))
    args = event.get("args", {})
    if not _has(event, form) or not _is_object(args) or not _has(args, details):
        return False
    if event["ph"] == "M":
        return _has(args, _METADATA.get(event["name"], {}))
    if event["ph"] == "i" and event["cat"] == "error":
        return "status" in args
    return _is_number(args.get("copied", 0))


def _add(trace: Trace, event: Event, submitted: dict[str, Event]) -> None:
    phase, process, thread = event["ph"], event["pid"], event["tid"]
    details = event.get("args", {})
    if phase == "M":
        _name(trace, event["name"], (process, thread), details)
    elif phase == "b":
        submitted[event["id"]] = event
    elif phase == "e":
        submitted.pop(event["id"], None)
    elif phase == "i" and event["cat"] == "error":
        trace.errors.append(details)
    elif phase == "X":
        begin, category = event["ts"], event["cat"]
        end = begin + event["dur"]
        made = Slice((process, thread), category, event["name"], begin, end, details)
        lists = {"call": trace.calls, "range": trace.ranges}
        lists.get(category, trace.work).append(made)


def _name(trace: Trace, kind: str, track: tuple[int, int], details: dict[str, Any]) -> None:
    if kind == "process_name":
        trace.processes[track[0]] = details["name"]
    elif kind == "process_labels":
        trace.labels[track[0]] = details["labels"]
    elif kind == "thread_name":
        trace.tracks[track] = details["name"]
