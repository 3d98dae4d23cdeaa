# SPDX-License-Identifier: Apache-2.0
"""Many replays of one schedule in one call, beside the same loop in C with OpenMP and in numba.

The work is heat in a plate: each step is a kernel that reads the plate of the step before.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, timed_calls, version_of
from openmp import openmp_sides
from our_side import compiled
from work import KERNELS, Array, Work

NAME = "replays of a schedule, run(times=)"
GOAL = "at most 1.3 times OpenMP's time (small kernels), not slower than the faster peer (heat)"
RATE = np.float32(0.8)
OPENMP = """
static void step(const float *restrict in, float *restrict out, int n, float rate) {
#pragma omp parallel for
  for (int y = 0; y < n; y++) {
#pragma omp simd
    for (int x = 0; x < n; x++) {
      int at = y * n + x;
      if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        out[at] = in[at];
      } else {
        float around = in[at - 1] + in[at + 1] + in[at - n] + in[at + n];
        out[at] = in[at] + rate * (0.25f * around - in[at]);
      }
    }
  }
}
void run(float *plate, float *other, int n, float rate, int steps) {
  for (int i = 0; i < steps; i += 2) {
    step(plate, other, n, rate);
    step(other, plate, n, rate);
  }
}
"""


@dataclass(frozen=True)
class Case:
    """A plate of n x n cells, and `replays` of a schedule of `steps` kernels."""

    name: str
    n: int
    steps: int
    replays: int
    limit: float  # ours / peer
    with_numba: bool


def measure(*, smoke: bool) -> list[Result]:
    """Both cases."""
    replays = 10 if smoke else 1000
    cases = (
        Case(f"{replays} replays of 10 kernels of 1 024 items", 32, 10, replays, 1.3, False),
        Case(f"heat, 512 x 512, {replays} steps", 512, 2, replays // 2, 1.0, True),
    )
    return [_measure(case, 3 if smoke else 11) for case in cases]


def _measure(case: Case, repeats: int) -> Result:
    random = np.random.default_rng(1)
    hot = random.random((case.n, case.n), dtype=np.float32)
    notes: list[str] = []
    sides = [_ours(case)]
    with tempfile.TemporaryDirectory() as folder:
        sides += _openmp(case, Path(folder), notes)
        if case.with_numba:
            sides += _numba(case, notes)
        expected = sides[0].result(hot)
        for side in sides[1:]:
            difference = float(np.abs(side.result(hot) - expected).max())
            if not difference <= 1e-5:
                raise Mismatch(f"{side.label} differs from ours by {difference:.2g}")
        if len(sides) == 1:
            return Result(case.name, GOAL, notes=[f"not measured: {'; '.join(notes)}"])
        goal = f"at most {case.limit:g} times the faster peer's time"
        contestants = [Contestant(side.label, timed_calls(side.run, (), 1)) for side in sides]
        return race(case.name, goal, contestants, repeats, limit=case.limit, notes=notes)


@dataclass(frozen=True)
class _Side:
    """A side: run() does all steps, from the plate that is there."""

    label: str
    run: Callable[[], object]
    plates: Sequence[Array]  # the result is in the first

    def result(self, hot: Array) -> Array:
        """Returns the plate after one run from the start."""
        for plate in self.plates:
            plate[...] = hot
        self.run()
        result: Array = self.plates[0].copy()
        return result


def _ours(case: Case) -> _Side:
    device = nexus.get_device("cpu")
    library, compiler = compiled(nexus.Program(KERNELS / "stencil.c"), device)
    kernel, n = library.get_kernel("stencil"), np.int32(case.n)
    plates = [device.create_buffer((case.n, case.n), dtype="float32") for _ in range(2)]
    schedule = device.create_schedule()
    for step in range(case.steps):
        source, target = plates[step % 2], plates[1 - step % 2]
        schedule.create_command(kernel, (source, target, n, n, RATE), None, (case.n, case.n))
    run = functools.partial(schedule.run, times=case.replays)
    label = f"{our_version()}, kernel by {compiler}"
    return _Side(label, run, [np.asarray(plate) for plate in plates])


def _openmp(case: Case, folder: Path, notes: list[str]) -> list[_Side]:
    plates = {name: np.zeros((case.n, case.n), np.float32) for name in ("plate", "other")}
    steps = np.int32(case.steps * case.replays)
    work = Work(
        case.name, "stencil.c", plates, ("plate",), (), "", lambda _: 0.0, 0.0, openmp=OPENMP,
        openmp_arguments=("plate", "other", np.int32(case.n), RATE, steps),
    )  # fmt: skip
    sides = openmp_sides(work, folder, notes, plates.__getitem__, fast_math=False)
    return [_Side(side.label, side.run, list(plates.values())) for side in sides]


def _numba(case: Case, notes: list[str]) -> list[_Side]:
    try:
        import numba
    except ImportError as error:
        notes.append(f"no peer: numba does not import: {error}")
        return []

    def step(source: Any, target: Any, rate: Any) -> None:
        for y in numba.prange(source.shape[0]):
            for x in range(source.shape[1]):
                if x in (0, source.shape[1] - 1) or y in (0, source.shape[0] - 1):
                    target[y, x] = source[y, x]
                else:
                    around = (
                        source[y, x - 1] + source[y, x + 1] + source[y - 1, x] + source[y + 1, x]
                    )
                    quarter = np.float32(0.25)
                    target[y, x] = source[y, x] + rate * (quarter * around - source[y, x])

    compiled_step = numba.njit(step, parallel=True)
    plates = [np.zeros((case.n, case.n), np.float32) for _ in range(2)]

    def run() -> None:
        for _ in range(case.replays):
            compiled_step(plates[0], plates[1], RATE)
            compiled_step(plates[1], plates[0], RATE)

    return [_Side(f"{version_of('numba')}, {numba.get_num_threads()} threads", run, plates)]
