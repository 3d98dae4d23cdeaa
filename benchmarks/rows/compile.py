# SPDX-License-Identifier: Apache-2.0
"""Compiling a kernel that no cache has, beside the bare command of the same compiler."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, wheel_file
from our_side import compiled
from smooth_program import SOURCE

NAME = "compile a kernel of 20 lines"
GOAL = "at most 1.3 times the bare compiler"

_numbers = itertools.count()


def measure(*, smoke: bool) -> Result:
    """The bare command makes a library of the same text with the same flags."""
    with tempfile.TemporaryDirectory() as folder:
        device = nexus.get_device("cpu")
        command = _command()
        flags = nexus.ProgramOptions().flags(device)
        _, version = compiled(nexus.Program(SOURCE), device)
        bare = _bare(command, flags, Path(folder))
        bare()
        if version.encode() not in Path(folder, "smooth.so").read_bytes():
            raise Mismatch(f"{command[0]} is not {version}, which compiled ours")
        contestants = [
            Contestant(f"{our_version()} with {version}", _uncached(device)),
            Contestant(" ".join([Path(command[0]).name, *command[1:], *flags]), bare),
        ]
        return race(NAME, GOAL, contestants, 3 if smoke else 25, limit=1.3)


def _command() -> list[str]:
    """Returns the compiler of our side; measure() checks that both libraries name the same."""
    named, zig = os.environ.get("CC"), wheel_file("ziglang", "zig")
    if named:
        return [named] if Path(named).is_file() else shlex.split(named)
    if shutil.which("clang") or not zig:
        return ["clang" if shutil.which("clang") else "gcc"]
    return [str(zig), "cc"]


def _uncached(device: nexus.Device) -> Callable[[], float]:
    def batch() -> float:
        program = nexus.Program(_new_text())
        start = perf_counter()
        code = program.compile(device)
        seconds = perf_counter() - start
        if code.origin != "compiled":
            raise Mismatch(f"the object code came from '{code.origin}', not from the compiler")
        return seconds

    return batch


def _bare(command: list[str], flags: tuple[str, ...], folder: Path) -> Callable[[], float]:
    source, library = folder / "smooth.c", folder / "smooth.so"
    words = [*command, f"-I{nexus.get_include()}", str(source), "-o", str(library), *flags]

    def batch() -> float:
        source.write_text(_new_text(), encoding="utf-8")
        start = perf_counter()
        subprocess.run(words, check=True)
        return perf_counter() - start

    return batch


def _new_text() -> str:
    """Returns a program that is in no cache: ours, zig's, or a compiler cache's."""
    return f"{SOURCE}/* {os.getpid()}, {next(_numbers)} */\n"
