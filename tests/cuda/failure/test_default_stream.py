# SPDX-License-Identifier: Apache-2.0
"""A device's default stream works again once its failure was raised."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import pytest
from cuda_bench import COUNT, LONG, UNKNOWN, Bench, unused_device
from driver_functions import named

import nexus

ENQUEUING = (
    "cuLaunchKernelEx", "cuMemcpyAsync", "cuMemsetD8Async", "cuMemsetD32Async", "cuEventRecord",
    "cuGraphLaunch", "cuGraphInstantiateWithParams",
)  # fmt: skip
CALLS = 3  # of each function, which fail one at a time


@pytest.fixture
def steps(bench: Bench) -> tuple[nexus.Schedule, nexus.Buffer]:
    """Returns a schedule of several commands on an unused device, and its result."""
    here = bench.on(unused_device())
    x, y, out = here.floats(5), here.floats(), here.floats()
    schedule = here.device.create_schedule()
    schedule.create_fill_command(y, 1)
    here.scale(schedule, x, 2, y)
    here.scale(schedule, y, 3, out)
    return schedule, out


@pytest.mark.parametrize("function", ENQUEUING)
@pytest.mark.parametrize("nth", range(1, CALLS + 1))
def test_the_default_stream_goes_on_once_the_cause_was_raised(
    bench: Bench, steps: tuple[nexus.Schedule, nexus.Buffer], function: str, nth: int
) -> None:
    schedule, out = steps
    try:
        bench.driver.fail(named(function), nth, UNKNOWN)
        with contextlib.suppress(nexus.NexusError):
            for _ in range(2):
                schedule.run(timeout=LONG)
                out.fill(0)
                out.copy_from(np.zeros(COUNT, np.float32))
    finally:
        bench.driver.clear_failures()

    run_until_taken(schedule)

    assert out.numpy().tolist() == [30] * COUNT


def run_until_taken(schedule: nexus.Schedule) -> None:
    """Runs it; repeats that while partly accepted work still runs."""
    last = time.monotonic() + LONG
    while not taken(schedule):
        assert time.monotonic() < last
    schedule.run(timeout=LONG)


def taken(schedule: nexus.Schedule) -> bool:
    with contextlib.suppress(nexus.NexusError):
        schedule.run(timeout=LONG)
        return True
    return False
