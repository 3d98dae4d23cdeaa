# SPDX-License-Identifier: Apache-2.0
"""A schedule of 100 small kernels in 4 branches beside the same CUDA graph in C."""

from __future__ import annotations

from typing import Any

import numpy as np

import c_side
import nexus
from cubins import cubin
from gpu_rows.schedule_100 import until_done
from harness import Contestant, Mismatch, interleave, timed_submissions
from measurement import Measurement, in_words
from nexus_side import GpuSide

NAME = "100 small kernels in 4 branches"
GOAL = "at most 1.1 times cuGraphLaunch in C plus 0.5 us"
DONE_GOAL = "at most 1.05 times cuGraphLaunch in C"
FACTOR, ALLOWANCE, DONE_FACTOR = 1.1, 0.5e-6, 1.05
KERNELS, BRANCHES, ITEMS, GROUP = 100, 4, 1024, 256
RUNS = 50  # runs in a row


class _Sides:
    def __init__(self) -> None:
        self.c = c_side.baseline()
        code = cubin("launches.cu", self.c.architecture)
        ones, groups = np.ones(ITEMS, np.float32), ITEMS // GROUP
        self.ours = GpuSide(code)
        y = self.ours.zeros(ones.nbytes)
        y.copy_from(ones)
        self.sums = [self.ours.zeros(ones.nbytes) for _ in range(BRANCHES)]
        self.schedule = self.ours.device.create_schedule()
        add = self.ours.library.get_kernel("add_to")
        commands: list[nexus.Command] = []
        for number in range(KERNELS):
            arguments = (self.sums[number % BRANCHES], y, np.int32(ITEMS))
            after = commands[-BRANCHES:][:1] if number >= BRANCHES else []
            commands.append(
                self.schedule.create_command(add, arguments, GROUP, groups * GROUP, after=after)
            )
        self.schedule.prepare(self.ours.stream)
        c_y = self.c.allocate(ones.nbytes)
        c_side.write(c_y, ones)
        self.c_sums = [self.c.allocate(ones.nbytes) for _ in range(BRANCHES)]
        for each in self.c_sums:
            c_side.write(each, np.zeros_like(ones))
        (function,) = self.c.functions(code, "add_to")
        self.launches = [
            c_side.launch(function, (self.c_sums[number % BRANCHES], c_y, np.int32(ITEMS)),
                          (groups, 1, 1), (GROUP, 1, 1))
            for number in range(KERNELS)
        ]  # fmt: skip
        self.graph = self.c.graph(self.launches, BRANCHES)


def measure(*, smoke: bool) -> list[Measurement]:
    """Times the submission, and the time until all is done."""
    sides = _Sides()
    _compare(sides)
    repeats = 3 if smoke else 51
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
    done = until_done(lambda: sides.schedule.run(*run), ours.stream.synchronize)
    total = interleave(
        [
            Contestant(ours.label, done),
            Contestant("C, cuGraphLaunch", lambda: float(c.time_graph(sides.graph, 1)[1])),
        ],
        repeats,
    )
    ratio = total[0].median / total[1].median
    return [
        Measurement(f"{NAME}, submission", GOAL, submitted, figure, over <= 0, []),
        Measurement(
            f"{NAME}, until done", DONE_GOAL, total, f"ours / cuGraphLaunch {ratio:.3f}",
            ratio <= DONE_FACTOR, [],
        ),
    ]  # fmt: skip


def _compare(sides: _Sides) -> None:
    """Checks that two runs of each side add 50 to every value of each branch."""
    sides.schedule.run()
    sides.schedule.run()
    sides.c.time_graph(sides.graph, 1)
    results: dict[str, list[Any]] = {"nexus": [each.numpy() for each in sides.sums]}
    results["C"] = [c_side.read(each, results["nexus"][0]) for each in sides.c_sums]
    for label, values in results.items():
        if not all(np.all(each == 2 * KERNELS // BRANCHES) for each in values):
            raise Mismatch(f"{label} has {values[0][:4]}... and not {2 * KERNELS // BRANCHES}")
