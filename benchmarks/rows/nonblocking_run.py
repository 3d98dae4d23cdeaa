# SPDX-License-Identifier: Apache-2.0
"""A non-blocking run beside pyopencl's enqueue of a kernel whose arguments are set."""

from __future__ import annotations

from harness import Contestant, Mismatch, Result, interleave, timed_submissions
from nexus_add import NexusAdd
from opencl_add import OpenCLAdd
from opencl_cpu import opencl_peers

NAME = "non-blocking run, 1 024 items"
GOAL = "pyopencl's enqueue + 0.3 us at most"
ALLOWANCE = 0.3e-6
ITEMS = 1024


def measure(*, smoke: bool) -> Result:
    """Times the submissions alone; the work of a batch is awaited between batches."""
    import numpy as np

    ours = NexusAdd(ITEMS)
    peers, notes = opencl_peers(lambda runtime: OpenCLAdd(runtime, ours.a, ours.b))
    ours.schedule.run()
    for peer in peers:
        peer.run()
        if not np.array_equal(ours.result(), peer.result()):
            raise Mismatch(f"the sums of nexus and {peer.label} differ")

    calls = 16 if smoke else 64
    contestants = [
        Contestant(
            ours.label,
            timed_submissions(
                ours.schedule.run, (ours.stream, False), ours.stream.synchronize, calls
            ),
        ),
        *(
            Contestant(
                p.label,
                timed_submissions(p.cl.enqueue_nd_range_kernel, p.arguments, p.queue.finish, calls),
            )
            for p in peers
        ),
    ]
    our_timing, *peer_timings = interleave(contestants, repeats=3 if smoke else 101)
    best = min(peer_timings, key=lambda timing: timing.median)
    met = our_timing.median <= best.median + ALLOWANCE
    return Result(NAME, GOAL, our_timing, best, our_timing.median / best.median, met, notes)
