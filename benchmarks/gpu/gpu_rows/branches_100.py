# SPDX-License-Identifier: Apache-2.0
"""A schedule of 100 small kernels in 4 branches beside the same CUDA graph in C."""

from __future__ import annotations

from typing import Any

import numpy as np

import c_side
import nexus
from cubins import cubin
from gpu_rows.schedule_100 import submission, until_done
from harness import Contestant, Mismatch, interleave
from measurement import Measurement
from nexus_side import GpuSide

NAME = "100 small kernels in 4 branches"
GOAL = "at most 1.05 times cuGraphLaunch in C"
DONE_FACTOR = 1.05
KERNELS, BRANCHES, ITEMS, GROUP = 100, 4, 1024, 256


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
        self.notes: list[str] = []


def measure(*, smoke: bool) -> list[Measurement]:
    """Times the submission, and the time until all is done."""
    sides = _Sides()
    _compare(sides)
    repeats = 3 if smoke else 51
    ours, c = sides.ours, sides.c
    done = until_done(lambda: sides.schedule.run(ours.stream, False), ours.stream.synchronize)
    total = interleave(
        [
            Contestant(ours.label, done),
            Contestant("C, cuGraphLaunch", lambda: float(c.time_graph(sides.graph, 1)[1])),
        ],
        repeats,
    )
    ratio = total[0].median / total[1].median
    return [
        submission(NAME, sides, repeats),
        Measurement(
            f"{NAME}, until done", GOAL, total, f"ours / cuGraphLaunch {ratio:.3f}",
            ratio <= DONE_FACTOR, sides.notes,
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
