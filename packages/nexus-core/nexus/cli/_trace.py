# SPDX-License-Identifier: Apache-2.0
"""`nexus trace`: runs a program under the layer `trace`, and summarizes the trace."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TextIO

from nexus._trace._file import read_trace
from nexus._trace._summary import summarize
from nexus.cli import _trace_page
from nexus.cli._console import show
from nexus.cli._misuse import Misuse

_EMPTY = "[\n]\n"
_FORWARDED = (signal.SIGTERM, signal.SIGHUP)


def run(options: argparse.Namespace) -> int:
    """Runs the program, or reads a trace; returns the program's exit status.

    Raises:
        Misuse: an option is wrong, or a file is not a trace.
    """
    top = _number(options.top)
    if options.read is not None:
        if options.program:
            raise Misuse(
                "--read shows an existing trace and runs no program: leave out one of them."
            )
        _show(Path(options.read), top, as_json=options.json, file=sys.stdout)
        return 0
    if not options.program:
        raise Misuse("there is no script: write one, or -m and a module.")
    if options.json and not options.summary:
        raise Misuse("--json needs --summary: write both.")
    path = _prepared(options.output)
    begin = path.stat().st_mtime
    status = _run_program(options.program, path)
    _tell(path, options.output, begin, status)
    if options.summary:
        _show(path, top, as_json=options.json, file=sys.stderr)
    if status < 0:
        _end_by(-status)
    return status


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise Misuse(f"--top is {text!r}: write how many rows a table has, at least 1.")
    return int(text)


def _prepared(output: str) -> Path:
    """Returns the path of the output file and empties it, so that an earlier trace is not mistaken
    for this one."""
    path = Path(output).absolute()
    try:
        path.write_text(_EMPTY, encoding="utf-8")
    except OSError as error:
        raise Misuse(
            f"-o is {output!r}, which can't be written: {error.strerror}; name another file."
        ) from error
    return path


def _run_program(program: Sequence[str], path: Path) -> int:
    """Runs the program in a separate process, as `python` would."""
    layers = [word.strip() for word in os.environ.get("NEXUS_LAYERS", "").split(",")]
    named = [word for word in layers if word]
    if "trace" not in named:
        named.append("trace")
    environment = os.environ | {"NEXUS_LAYERS": ",".join(named), "NEXUS_TRACE_FILE": str(path)}
    child = subprocess.Popen([sys.executable, *program], env=environment)

    def forward(number: int, _: FrameType | None) -> None:
        child.send_signal(number)

    # The child gets Ctrl-C too, and decides what to do; a KeyboardInterrupt here could lose its
    # status.
    handlers = dict.fromkeys(_FORWARDED, forward) | {signal.SIGINT: _stay}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stay(_number: int, _frame: FrameType | None) -> None:
    """Ignores a signal."""


def _end_by(number: int) -> None:
    """Ends this process with the signal that ended the program, so that the caller sees it."""
    sys.stdout.flush()
    sys.stderr.flush()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError):  # SIGKILL's handler can't be changed
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _tell(path: Path, output: str, begin: float, status: int) -> None:
    if path.stat().st_size > len(_EMPTY):
        print(f"nexus trace: wrote {output}; open it in https://ui.perfetto.dev.", file=sys.stderr)
    elif status == 0:  # else the program's own error says enough
        print("nexus trace: the program used no backend; the trace is empty.", file=sys.stderr)
    for each in sorted(path.parent.glob(f"{path.stem}.*{path.suffix}")):
        if each.stat().st_mtime >= begin:
            print(f"nexus trace: a process of the program wrote {each.name}.", file=sys.stderr)


def _show(path: Path, top: int, *, as_json: bool, file: TextIO) -> None:
    try:
        summary = summarize(read_trace(path))
    except OSError as error:
        raise Misuse(f"'{path}' can't be read: {error.strerror}.") from error
    except (ValueError, KeyError) as error:
        raise Misuse(f"'{path}' is not a trace of Nexus.") from error
    if as_json:
        print(json.dumps(summary.as_json(), indent=2), file=file)
    else:
        show(*_trace_page.page(summary, top), file=file)
