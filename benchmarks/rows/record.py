# SPDX-License-Identifier: Apache-2.0
"""Recording a command of a long schedule beside one of a short schedule."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import nexus
from harness import Contestant, Mismatch, Result, our_version, race

NAME = "record a command, 64 000 in a schedule"
GOAL = "at most 1.5 times a command of 1 000"
LONG, SHORT, LIMIT = 64_000, 1_000, 1.5
KERNEL = "NEXUS_KERNEL(add_one, (NEXUS_GLOBAL int *, x)) { x[nexus_global_id(0)] += 1; }"


def measure(*, smoke: bool) -> Result:
    """Measures the seconds of a command, without the ends of schedules."""
    import numpy as np

    device = nexus.get_device("cpu")
    kernel = device.compile(KERNEL).get_kernel("add_one")
    data = device.create_buffer(np.zeros(1, np.int32))

    def recording(count: int) -> Callable[[], float]:
        def batch() -> float:
            schedule = device.create_schedule()
            start = perf_counter()
            for _ in range(count):
                schedule.create_command(kernel, (data,), 1, 1)
            seconds = perf_counter() - start
            if len(schedule.get_commands()) != count:
                raise Mismatch("commands are missing")
            return seconds / count

        return batch

    contestants = [
        Contestant(our_version(), recording(SHORT if smoke else LONG)),
        Contestant(f"{our_version()}, {SHORT} commands", recording(SHORT)),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 5, limit=LIMIT)
