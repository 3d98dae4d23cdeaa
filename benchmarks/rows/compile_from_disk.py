# SPDX-License-Identifier: Apache-2.0
"""Compiling, in a new process, a program that another process has compiled."""

from __future__ import annotations

import subprocess
import sys

import nexus
from harness import Contestant, Mismatch, Result, interleave, our_version
from our_side import compiled
from smooth_program import SOURCE

NAME = "compile: from disk, new process"
GOAL = "at most 5 ms"
LIMIT = 5e-3

_PROCESS = """\
import sys
from time import perf_counter
import nexus
device = nexus.get_device("cpu")
program = nexus.Program(sys.stdin.read())
start = perf_counter()
code = program.compile(device)
print(perf_counter() - start, code.origin)
"""


def measure(*, smoke: bool) -> Result:
    """Times the compile call only, not the start of the interpreter and of nexus."""
    compiled(nexus.Program(SOURCE), nexus.get_device("cpu"))
    contestant = Contestant(our_version(), _compile_in_new_process)
    (ours,) = interleave([contestant], repeats=3 if smoke else 25)
    return Result(NAME, GOAL, ours, met=ours.median <= LIMIT)


def _compile_in_new_process() -> float:
    process = subprocess.run(
        [sys.executable, "-c", _PROCESS], input=SOURCE, capture_output=True, text=True, check=True
    )
    seconds, origin = process.stdout.split()
    if origin != "disk":
        raise Mismatch(f"a second process took the object code from '{origin}', not from disk")
    return float(seconds)
