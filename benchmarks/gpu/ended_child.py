# SPDX-License-Identifier: Apache-2.0
"""Runs a process and ends it for certain: at its limit, or once a condition holds."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LOOK = 0.05  # seconds between looks
_LAST_WORDS = 1500  # characters of the log that a report shows


@dataclass(frozen=True)
class Ended:
    """The end of a process.

    Attributes:
        code: its exit status, negative for a signal; None if it was killed at the limit.
        seconds: how long it ran.
        last_words: the end of its output.
    """

    code: int | None
    seconds: float
    last_words: str

    @property
    def in_words(self) -> str:
        """Returns `ended with status 1`, `ended by SIGSEGV` or `did not end in time`."""
        if self.code is None:
            return "did not end in time"
        if self.code < 0:
            return f"ended by {signal.Signals(-self.code).name}"
        return f"ended with status {self.code}"


def run_ended(
    command: Sequence[str],
    log: Path,
    limit: float,
    *,
    enough: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs a command, and ends it and all processes that it started.

    Args:
        log: the file for its output.
        limit: the seconds that it may take.
        enough: ends the process too, once this returns True.
    """
    start = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,  # so that its children can be killed with it
        )
        try:
            code = _wait(process, start + limit, enough)
        finally:
            _end(process)
    seconds = time.monotonic() - start
    return Ended(code, seconds, log.read_text("utf-8", errors="replace")[-_LAST_WORDS:].strip())


def _wait(
    process: subprocess.Popen[bytes], deadline: float, enough: Callable[[], bool]
) -> int | None:
    while True:
        code = process.poll()
        if code is not None:
            return code
        if time.monotonic() >= deadline or enough():
            return None
        time.sleep(_LOOK)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the process's session, which it does not share with us, and collects the process."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # the session has ended
    finally:
        if process.returncode is None:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                # The driver holds it, which the check of the GPU's state will report.
                print(f"process {process.pid} was killed and is still there", flush=True)
