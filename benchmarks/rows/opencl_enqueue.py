# SPDX-License-Identifier: Apache-2.0
"""A non-blocking run of the OpenCL backend beside pyopencl's enqueue, in one runtime."""

from __future__ import annotations

import numpy as np

from harness import Contestant, Mismatch, Result, race, timed_submissions
from opencl_add import SOURCE, OpenCLAdd
from opencl_backend import SameDevice, measure_each

NAME = "OpenCL: non-blocking run, 1 024 items"
GOAL = "pyopencl's enqueue + 0.3 us at most"
ITEMS = 1024


def measure(*, smoke: bool) -> list[Result]:
    """Times the submissions alone; the work of a batch is awaited between batches."""
    return measure_each(NAME, GOAL, lambda device: _measure(device, smoke))


def _measure(device: SameDevice, smoke: bool) -> Result:
    random = np.random.default_rng(1)
    a, b = random.random((2, ITEMS), dtype=np.float32)
    ours = device.ours
    total = ours.create_buffer((ITEMS,), dtype="float32")
    schedule = ours.create_schedule()
    command = schedule.create_command(
        ours.load_library(SOURCE.encode()).get_kernel("add"),
        (ours.create_buffer(a), ours.create_buffer(b), total),
        None,
        ITEMS,
    )
    stream = ours.create_stream()
    peer = OpenCLAdd(device.theirs, a, b)
    enqueued = (*peer.arguments[:3], (command.group_size or (1,))[:1])
    schedule.run(stream)
    peer.run()
    if not np.array_equal(total.numpy(), peer.result()):
        raise Mismatch(f"the sums of nexus and {peer.label} differ")
    calls = 16 if smoke else 64
    submit = timed_submissions(schedule.run, (stream, False), stream.synchronize, calls)
    enqueue = peer.timed_enqueues(enqueued, calls)
    contestants = [Contestant(device.label, submit), Contestant(peer.label, enqueue)]
    return race(NAME, GOAL, contestants, 3 if smoke else 101, allowance=0.3e-6)
