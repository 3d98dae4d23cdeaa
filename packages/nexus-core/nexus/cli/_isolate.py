# SPDX-License-Identifier: Apache-2.0
"""`nexus run --isolate`: the kernel runs in a child, whose end is told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from nexus.cli._child_end import signal_meaning, signal_name

_CHILD = "import sys; sys.path[:] = {path!r}; from nexus.cli import main; sys.exit(main())"


def run(words: Sequence[str]) -> int:
    """Runs `nexus run` with these words in a child; returns its exit status, 1 for a fault."""
    reader, writer = os.pipe()
    command = [sys.executable, "-c", _CHILD.format(path=sys.path), "run", f"--report-to={writer}"]
    with os.fdopen(reader, encoding="utf-8") as report:
        try:
            child = subprocess.Popen(
                [*command, *(word for word in words if word != "--isolate")], pass_fds=[writer]
            )
        finally:
            os.close(writer)
        launch = report.read()  # until the child closes it or ends
    try:
        status = child.wait()
    except KeyboardInterrupt:  # the child got it too
        child.wait()
        raise
    if status >= 0:
        return status
    print(f"nexus run: {_end(-status, launch)}", file=sys.stderr)
    return 1


def report(descriptor: int, launch: str) -> None:
    """In the child: tells the parent what is about to run."""
    with os.fdopen(descriptor, "w", encoding="utf-8") as parent:
        parent.write(launch)


def _end(number: int, launch: str) -> str:
    name, meaning = signal_name(number), signal_meaning(number)
    if not launch:
        return f"the process ended by {name} before the kernel ran{meaning}."
    return f"{launch}\nended by {name}{meaning}."
