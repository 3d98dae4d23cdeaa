# SPDX-License-Identifier: Apache-2.0
"""A schedule of 100 small kernels beside a CUDA graph of them, and beside 100 launches."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import c_side
from cubins import cubin
from cuda_core_side import CudaCoreSide
from harness import Contestant, Mismatch, interleave, timed_submissions
from measurement import Measurement, in_words
from nexus_side import GpuSide

NAME = "schedule of 100 small kernels"
GOAL = "at most 1.1 times cuGraphLaunch in C plus 0.5 us"
NO_GOAL = "none: total time, beside graph and launches"
FACTOR, ALLOWANCE = 1.1, 0.5e-6
KERNELS, ITEMS, GROUP = 100, 1024, 256
RUNS = 50  # runs in a row


class _Sides:
    def __init__(self) -> None:
        self.c = c_side.baseline()
        image = cubin("launches.cu", self.c.architecture)
        ones = np.ones(ITEMS, np.float32)
        self.ours = GpuSide(image)
        self.x, y = self.ours.zeros(ones.nbytes), self.ours.zeros(ones.nbytes)
        y.copy_from(ones)
        groups = ITEMS // GROUP
        self.schedule = self.ours.schedule(
            "add_to", (self.x, y, np.int32(ITEMS)), groups, GROUP, times=KERNELS
        )
        self.c_x, c_y = self.c.allocate(ones.nbytes), self.c.allocate(ones.nbytes)
        c_side.write(self.c_x, np.zeros_like(ones))
        c_side.write(c_y, ones)
        (function,) = self.c.functions(image, "add_to")
        arguments = (self.c_x, c_y, np.int32(ITEMS))
        launch = c_side.launch(function, arguments, (groups, 1, 1), (GROUP, 1, 1))
        self.launches = [launch] * KERNELS
        self.graph = self.c.graph(self.launches)
        self.notes: list[str] = []
        self.core_done = self._core(image, c_y, groups)

    def _core(self, image: bytes, y: int, groups: int) -> Contestant | None:
        """Launches 100 times by cuda.core on the memory of the C side, and waits."""
        try:
            core = CudaCoreSide(image)
            submit, arguments = core.submit("add_to", (self.c_x, y, np.int32(ITEMS)), groups, GROUP)
        except Exception as reason:
            self.notes.append(f"without cuda.core: {type(reason).__name__}: {reason}")
            return None
        return Contestant(
            f"{core.label}, 100 launches",
            until_done(lambda: [submit(*arguments) for _ in range(KERNELS)], core.synchronize),
        )


def until_done(submit: Callable[[], Any], wait: Callable[[], Any]) -> Callable[[], float]:
    """Returns a batch that times a submission and the wait for it."""

    def batch() -> float:
        submit()
        wait()
        start = perf_counter()
        submit()
        wait()
        return perf_counter() - start

    return batch


def measure(*, smoke: bool) -> list[Measurement]:
    """Times the submission, and the time until all is done."""
    sides = _Sides()
    _compare(sides)
    repeats = 3 if smoke else 51
    return [submission(NAME, sides, repeats), _total(sides, repeats)]


def submission(name: str, sides: Any, repeats: int) -> Measurement:
    """Times `sides.schedule` of `sides.ours` beside `sides.graph` of `sides.c`."""
    ours, c = sides.ours, sides.c
    run = (ours.stream, False)
    submitted = interleave(
        [
            Contestant(
                ours.label,
                timed_submissions(sides.schedule.run, run, ours.stream.synchronize, RUNS),
            ),
            Contestant("C, cuGraphLaunch", lambda: float(c.time_graph(sides.graph, RUNS)[0])),
        ],
        repeats,
    )
    over = submitted[0].median - (FACTOR * submitted[1].median + ALLOWANCE)
    figure = (
        f"ours / cuGraphLaunch {submitted[0].median / submitted[1].median:.3f}, "
        f"{in_words(abs(over))} {'above' if over > 0 else 'below'} the limit"
    )
    return Measurement(f"{name}, submission", GOAL, submitted, figure, over <= 0, sides.notes)


def _total(sides: _Sides, repeats: int) -> Measurement:
    ours, c = sides.ours, sides.c
    done = until_done(lambda: sides.schedule.run(ours.stream, False), ours.stream.synchronize)
    contestants = [
        Contestant(ours.label, done),
        Contestant("C, cuGraphLaunch", lambda: float(c.time_graph(sides.graph, 1)[1])),
        Contestant("C, 100 launches", lambda: float(c.time_launches(sides.launches, 1)[1])),
    ]
    if sides.core_done:
        contestants.append(sides.core_done)
    timings = interleave(contestants, repeats)
    best = min(timings[1:], key=lambda timing: timing.median)
    figure = f"ours / the best of the others {timings[0].median / best.median:.3f}"
    return Measurement(f"{NAME}, until done", NO_GOAL, timings, figure, None, sides.notes)


def _compare(sides: _Sides) -> None:
    """Checks that two rounds of each side add 200 to every value."""
    sides.schedule.run()
    sides.schedule.run()
    results = {"nexus": sides.x.numpy()}
    sides.c.time_graph(sides.graph, 1)
    results["C, a graph"] = c_side.read(sides.c_x, results["nexus"])
    c_side.write(sides.c_x, np.zeros(ITEMS, np.float32))
    sides.c.time_launches(sides.launches, 1)
    results["C, launches"] = c_side.read(sides.c_x, results["nexus"])
    for label, values in results.items():
        if not np.all(values == 2 * KERNELS):
            raise Mismatch(f"{label} has {values[:4]}... and not {2 * KERNELS}")
