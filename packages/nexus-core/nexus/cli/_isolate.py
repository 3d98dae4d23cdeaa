# SPDX-License-Identifier: Apache-2.0
"""`nexus run --isolate`: runs the kernel in a child process and reports how the child ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

_CHILD = "import sys; sys.path[:] = {path!r}; from nexus.cli import main; sys.exit(main())"
_MEANING = {
    "SIGSEGV": "it accessed memory that it must not use",
    "SIGBUS": "it accessed memory that does not exist",
    "SIGFPE": "it divided an integer by zero",
    "SIGILL": "it ran a trap, or an instruction that this processor lacks",
    "SIGABRT": "it aborted itself",
    "SIGKILL": "it was killed from outside, perhaps because memory ran out",
}


def child(words: Sequence[str]) -> list[str]:
    """Returns the command that runs `nexus run` with these arguments."""
    return [sys.executable, "-c", _CHILD.format(path=sys.path), "run", *words]


def run(words: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Runs `nexus run` with these arguments in a child; returns its exit status, 1 for a fault."""
    own = [word for word in words if word != "--isolate"]
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as report:
        try:
            process = subprocess.Popen(
                child([f"--report-to={writer}", *own]), pass_fds=[writer], env=environment
            )
        finally:
            os.close(writer)
        launch = report.read()  # until the child closes it or ends
    try:
        status = process.wait()
    except KeyboardInterrupt:  # the child got it too
        process.wait()
        raise
    if status >= 0:
        return status
    print(f"nexus run: {_end(-status, launch)}", file=sys.stderr)
    return 1


def report(descriptor: int, launch: str) -> None:
    """Reports to the parent, from the child, what is about to run."""
    with os.fdopen(descriptor, "w", encoding="utf-8") as parent:
        parent.write(launch)


def _end(number: int, launch: str) -> str:
    name, meaning = signal_name(number), signal_meaning(number)
    if not launch:
        return f"the process ended by {name} before the kernel ran{meaning}."
    hint = " --check tells where." if name in ("SIGSEGV", "SIGBUS", "SIGABRT") else ""
    return f"{launch}\nended by {name}{meaning}.{hint}"


def signal_name(number: int) -> str:
    """Returns the signal's name, such as 'SIGSEGV'."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def signal_meaning(number: int) -> str:
    """Returns ': ' and the signal's usual cause; '' if it has none."""
    meaning = _MEANING.get(signal_name(number), "")
    return f": {meaning}" if meaning else ""
