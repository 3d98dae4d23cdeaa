# SPDX-License-Identifier: Apache-2.0
"""The time from the start of a fresh process to its first result, with a warm cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from cuda_core_side import cuda_core
from cupy_side import cupy
from harness import Contestant, Mismatch, NotMeasured, interleave, our_version, version_of
from measurement import Measurement
from nexus_side import gpu

NAME = "fresh process to the first result, cache warm"
GOAL = "faster than cuda.core and CuPy"
PROGRAMS = Path(__file__).parents[1] / "first_results"
EXPECTED = "result 1024.0"
SECONDS = 120


def measure(*, smoke: bool) -> list[Measurement]:
    """Includes the start of the interpreter and the imports, not the end of the process."""
    gpu()
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        contestants = [_ours(Path(folder), notes)]
        for label, file in ((_cuda_core_label, "by_cuda_core.py"), (_cupy_label, "by_cupy.py")):
            try:
                contestants.append(_warmed(label(), Path(folder), [file]))
            except (NotMeasured, Mismatch) as reason:
                notes.append(f"without {file}: {reason}")
        timings = interleave(contestants, 3 if smoke else 9)
    if len(timings) < 3:
        return [Measurement(NAME, GOAL, timings, notes=["not measured: a peer is missing", *notes])]
    ours, *peers = timings
    ratios = [f"ours / {peer.label.split()[0]} {ours.median / peer.median:.3f}" for peer in peers]
    met = all(ours.median < peer.median for peer in peers)
    return [Measurement(NAME, GOAL, timings, "; ".join(ratios), met, notes)]


def _cuda_core_label() -> str:
    cuda_core()
    return version_of("cuda-core")


def _cupy_label() -> str:
    return f"cupy {cupy().__version__}, RawKernel"


def _ours(folder: Path, notes: list[str]) -> Contestant:
    try:
        return _warmed(f"{our_version()}, CUDA C++", folder, ["by_nexus.py"])
    except Mismatch as reason:
        notes.append(f"the portable language, since CUDA C++ did not work: {reason}")
        return _warmed(f"{our_version()}, portable", folder, ["by_nexus.py", "portable"])


def _warmed(label: str, folder: Path, command: list[str]) -> Contestant:
    """Runs the program twice to fill the caches; returns the contestant."""
    for _ in range(2):
        _first_result(folder, command)
    return Contestant(label, lambda: _first_result(folder, command))


def _first_result(folder: Path, command: list[str]) -> float:
    environment = os.environ | {
        "NEXUS_CACHE_DIR": str(folder / "nexus"),
        "CUPY_CACHE_DIR": str(folder / "cupy"),
        "FIRST_RESULT_CACHE": str(folder / "cuda_core"),
    }
    (folder / "cuda_core").mkdir(exist_ok=True)
    with tempfile.TemporaryFile("w+") as errors:
        start = perf_counter()
        process = subprocess.Popen(
            [sys.executable, str(PROGRAMS / command[0]), *command[1:]],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        seconds = perf_counter() - start
        _end(process)
        if line != EXPECTED:
            errors.seek(0)
            raise Mismatch(f"{command[0]} said {line!r}: {errors.read().strip()[-800:]}")
        return seconds


def _end(process: subprocess.Popen[str]) -> None:
    try:
        process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
