# SPDX-License-Identifier: Apache-2.0
"""Adds to nox a time limit for each session, and a table of sessions at the end.

`@session` is nox.session with a limit. A session that exceeds it gets SIGABRT, at which pytest's
processes print the stack of every thread, and is then killed.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nox

LIMIT = 15 * 60
"""Seconds that a session may take, unless it says otherwise: 6 minutes are meant on 2 cores."""
LONG = 60 * 60
"""Seconds for a session of `nox -s full`."""
_GRACE = 10
"""Seconds between SIGABRT, which shows the stacks, and SIGKILL."""


@dataclass
class Row:
    """A session in the table."""

    name: str
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    result: str = "failed"


_rows: list[Row] = []


def session(*, limit: float = LIMIT, **options: Any) -> Callable[[Callable[..., None]], Any]:
    """Works as nox.session, with a limit in seconds and a row in the table."""

    def decorate(function: Callable[..., None]) -> Any:
        @functools.wraps(function)
        def timed(session: nox.Session, *arguments: Any, **keywords: Any) -> None:
            row = Row(session.name)
            _rows.append(row)
            begin = time.monotonic()
            try:
                with _watched(row.name, limit):
                    function(session, *arguments, **keywords)
                row.result = "passed"
            finally:
                row.seconds = time.monotonic() - begin

        return nox.session(**options)(timed)

    return decorate


def pytest(session: nox.Session, *arguments: str, program: str = "pytest", **options: Any) -> None:
    """Runs pytest in the session, and adds its tests to the session's row."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        try:
            session.run(program, *arguments, f"--junit-xml={report}", **options)
        finally:
            _count(report)


def _count(report: Path) -> None:
    """Adds the tests of a JUnit report to the last row."""
    if not report.is_file() or not _rows:
        return
    (suite,) = ElementTree.parse(report).getroot()
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    skipped = int(suite.get("skipped", 0))
    total = int(suite.get("tests", 0))
    for name, count in (
        ("passed", total - failed - skipped),
        ("failed", failed),
        ("skipped", skipped),
    ):
        counts = _rows[-1].counts
        counts[name] = counts.get(name, 0) + count


@contextmanager
def _watched(name: str, limit: float) -> Iterator[None]:
    """Ends the programs that run after `limit` seconds, which fails the session."""
    done = threading.Event()

    def watch() -> None:
        if done.wait(limit):
            return
        print(f"{name} takes longer than {limit:.0f} s: its programs are ended.", flush=True)
        _signal_children(signal.SIGABRT)
        if not done.wait(_GRACE):
            _signal_children(signal.SIGKILL)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _signal_children(number: int) -> None:
    """Sends a signal to all processes that this one started, and to theirs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents: dict[int, int] = {}
    for line in listed.stdout.splitlines():
        pid, parent = map(int, line.split())
        parents[pid] = parent
    for pid in parents:
        ancestor = pid
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        if ancestor == os.getpid() and pid != ancestor:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


@atexit.register
def _print_table() -> None:
    """Prints session, seconds and tests, which nox' own list lacks."""
    if not _rows:
        return
    total = Row("all", result="")
    for row in _rows:
        total.seconds += row.seconds
        for name, count in row.counts.items():
            total.counts[name] = total.counts.get(name, 0) + count
    width = max(len(row.name) for row in _rows)
    print(f"\n{'session':<{width}}  seconds  result  tests")
    for row in [*_rows, total]:
        tests = ", ".join(f"{count} {name}" for name, count in row.counts.items() if count)
        print(
            f"{row.name:<{width}}  {row.seconds:7.0f}  {row.result:6}  {tests}".rstrip(), flush=True
        )
