# SPDX-License-Identifier: Apache-2.0
"""The sum of two large arrays beside an OpenMP loop in C, by the best compiler found."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from harness import Contestant, Mismatch, NotMeasured, Result, Timing, interleave, timed_calls
from rows.nexus_add import NexusAdd

NAME = "vector add"
GOAL = "at least 97 % of the OpenMP loop's speed"

_SOURCE = """
void add(const float *restrict a, const float *restrict b, float *restrict c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}
"""


def measure(*, smoke: bool) -> Result:
    """Ours is a blocking run from Python, the peer a call through ctypes, on the same memory."""
    import numpy as np

    items = 1 << (20 if smoke else 25)
    ours = NexusAdd(items)
    ours.schedule.run()
    expected = ours.result()
    notes = [f"{items} float32 values"]
    with tempfile.TemporaryDirectory() as folder:
        loops = _openmp_loops(Path(folder), notes)
    peers = []
    a, b, c = ours.views()
    for label, add in loops:
        arguments = (a.ctypes.data, b.ctypes.data, c.ctypes.data, items)
        c[:] = 0
        add(*arguments)
        if not np.array_equal(expected, c):
            raise Mismatch(f"the sums of nexus and {label} differ")
        peers.append(Contestant(label, timed_calls(add, arguments, 1)))
    our_timing, *peer_timings = interleave(
        [Contestant(ours.label, timed_calls(ours.schedule.run, (), 1)), *peers],
        repeats=3 if smoke else 41,
    )
    best: Timing = min(peer_timings, key=lambda timing: timing.median)
    met = best.median / our_timing.median >= 0.97
    return Result(NAME, GOAL, our_timing, best, our_timing.median / best.median, met, notes)


def _openmp_loops(folder: Path, notes: list[str]) -> list[tuple[str, Any]]:
    """The loop built by each compiler that has OpenMP here, with the compiler's version."""
    source = folder / "add.c"
    source.write_text(_SOURCE, encoding="utf-8")
    loops = []
    for compiler in ("clang", "gcc"):
        program = shutil.which(compiler)
        if program is None:
            notes.append(f"no peer: {compiler} is not installed")
            continue
        library = folder / f"{compiler}.so"
        options = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"]
        built = subprocess.run(
            [program, *options, str(source), "-o", str(library)],
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode != 0:
            last = (built.stderr.strip().splitlines() or ["no message"])[-1]
            notes.append(f"no peer: {compiler} can't build with OpenMP ({last})")
            continue
        add = ctypes.CDLL(str(library)).add
        add.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
        add.restype = None
        loops.append((f"OpenMP loop, {_first_line(program)}", add))
    if not loops:
        raise NotMeasured("; ".join(notes))
    return loops


def _first_line(program: str) -> str:
    result = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()[0]
