# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a trace that the layer `trace` wrote."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nexus import _checks, _core
from nexus._errors import NexusError, NexusValueError

Event = dict[str, Any]

_REMEDY = "give the file of a trace of Nexus"
_USUAL_FILE = "nexus-trace.json"  # the default of libnexus
_TAIL = 16 << 20  # bytes at the end of a file in which a new mark is looked for
_WRITE_LIMIT = 2.0  # seconds; libnexus writes its events every 50 ms


@dataclass(frozen=True)
class Slice:
    """An interval: a call of the host, a range, or work of a device.

    Attributes:
        track: the process and thread in the trace.
        begin, end: in microseconds since the trace began.
        details: further fields of the trace.
    """

    track: tuple[int, int]
    category: str
    name: str
    begin: float
    end: float
    details: dict[str, Any]

    @property
    def duration(self) -> float:
        """The length in microseconds."""
        return self.end - self.begin


@dataclass(frozen=True)
class Trace:
    """The parts of a trace.

    Attributes:
        processes: the names of processes; `tracks`: those of processes' threads.
        labels: how the times of a device were measured, by process.
        work: the work of devices, in the order in which it began; `calls`: the host's calls.
        waiting: the submissions of work whose end is missing in the trace.
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
    """Returns the events of a file, which may be cut short: the layer writes one event a line.

    Raises:
        NexusFileNotFoundError: there is no such file.
        NexusValueError: the file is not a trace, or not a regular file.
        OSError: the file can't be read.
    """
    text = _checks.read_file("path", os.fspath(path)).decode(errors="replace")
    try:
        events = json.loads(text)
    except RecursionError:  # deeply nested lists, which no trace has
        events = None
    except ValueError:
        events = _whole_lines(text) if text.startswith("[") else None
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise NexusValueError(f"path is '{path}', which has no list of events: {_REMEDY}.")
    return events


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Reads the parts of a trace. Raises like `read_events`."""
    trace = Trace()
    submitted: dict[str, Event] = {}
    for number, event in enumerate(read_events(path)):
        if not _is_known_form(event):
            raise NexusValueError(
                f"path is '{path}', whose event {number} is malformed: {_REMEDY}."
            )
        _add(trace, event, submitted)
    trace.work.sort(key=lambda each: each.begin)
    trace.waiting.extend(event["args"]["work"] for event in submitted.values())
    return trace


def own_file() -> str:
    """Returns the file of this process's trace, after all events until now were written to it.

    Raises:
        NexusError: the process is not traced, or the file is not found.
    """
    if not _core.trace_is_on():
        raise NexusError(
            "path is None, and this process is not traced: give the path of a trace, or set "
            "NEXUS_LAYERS=trace before `import nexus`."
        )
    usual = Path(os.environ.get("NEXUS_TRACE_FILE") or _USUAL_FILE)
    # libnexus adds the process ID if another process writes to the usual file.
    files = (usual, usual.with_name(f"{usual.stem}.{os.getpid()}{usual.suffix}"))
    mark = f"nexus.trace.read at {_core.trace_time()} ns"
    _core.trace_mark(mark)
    end = time.monotonic() + _WRITE_LIMIT
    while time.monotonic() < end:
        for file in files:
            if mark.encode() in _tail(file):
                return str(file)
        time.sleep(0.01)
    raise NexusError(
        f"path is None, and within {_WRITE_LIMIT:g} s the trace of this process was not found in "
        f"'{usual}': give its path if the working folder has changed."
    )


def _tail(file: Path) -> bytes:
    """Returns the end of a file; nothing if it can't be read."""
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - _TAIL))
            return opened.read()
    except OSError:
        return b""


def _whole_lines(text: str) -> list[Event]:
    lines = text.splitlines()[1:-1]  # the last one may be incomplete
    whole = [line.rstrip(",") for line in lines if line not in ("", "]")]
    try:
        events: list[Event] = json.loads(f"[{','.join(whole)}]")
    except (ValueError, RecursionError):
        return []
    return events


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    """Returns whether the value is a finite int or float."""
    return isinstance(value, (int, float)) and abs(value) < _LARGEST


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


_LARGEST = 1e18
_Form = dict[str, Callable[[object], bool]]
# The fields that are read, by the event's phase.
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
    """Returns whether the event has all these fields, with the types that the layer writes."""
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
