# SPDX-License-Identifier: Apache-2.0
"""Four branches of one kernel each that uses one core, beside the same kernels in a row."""

from __future__ import annotations

import numpy as np

import nexus
from harness import Contestant, Mismatch, NotMeasured, Result, our_version, race, timed_calls

NAME = "four branches of one core each"
GOAL = "at least 1.8 times as fast on 2 cores"
BRANCHES = 4
KERNEL = """
NEXUS_KERNEL(turn, (NEXUS_GLOBAL unsigned *, x), (int, turns)) {
  unsigned value = x[0];
  for (int i = 0; i < turns; ++i) value = value * 1664525u + 1013904223u;
  x[0] = value;
}
"""


def measure(*, smoke: bool) -> Result:
    """Each kernel has one group of one item, and takes about a millisecond."""
    device = nexus.get_device("cpu")
    if device.get_property_int("CoreCount") < 2:
        raise NotMeasured("needs 2 cores")
    kernel = device.compile(KERNEL).get_kernel("turn")
    turns = 1_000 if smoke else 1_000_000
    sides = [_recorded(device, kernel, turns, branches=branches) for branches in (True, False)]
    for schedule, _ in sides:
        schedule.run()
    expected = 7
    for _ in range(turns):
        expected = (expected * 1664525 + 1013904223) % 2**32
    if any(buffer.numpy() != expected for _, buffers in sides for buffer in buffers):
        raise Mismatch("a branch computed another number")
    label, calls = our_version(), 2 if smoke else 10
    contestants = [
        Contestant(f"{label}, {order}", timed_calls(schedule.run, (), calls))
        for (schedule, _), order in zip(sides, ("branches", "in a row"), strict=True)
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 21, limit=1 / 1.8)


def _recorded(
    device: nexus.Device, kernel: nexus.Kernel, turns: int, *, branches: bool
) -> tuple[nexus.Schedule, list[nexus.Buffer]]:
    schedule = device.create_schedule()
    buffers = [device.create_buffer(np.full(1, 7, np.uint32)) for _ in range(BRANCHES)]
    for buffer in buffers:
        schedule.create_command(kernel, (buffer, turns), 1, 1, after=[] if branches else None)
    return schedule, buffers
