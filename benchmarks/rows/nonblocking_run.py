# SPDX-License-Identifier: Apache-2.0
"""A non-blocking run beside pyopencl's enqueue of a kernel whose arguments are set."""

from __future__ import annotations

from harness import Contestant, Mismatch, Result, race, timed_submissions
from nexus_add import NexusAdd
from opencl_add import OpenCLAdd
from opencl_cpu import opencl_peers

NAME = "non-blocking run, 1 024 items"
GOAL = "pyopencl's enqueue + 0.3 us at most"
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
    run, stream = ours.schedule.run, ours.stream
    batches = [(ours.label, timed_submissions(run, (stream, False), stream.synchronize, calls))]
    batches += [(peer.label, peer.timed_enqueues(peer.arguments, calls)) for peer in peers]
    contestants = [Contestant(*each) for each in batches]
    return race(NAME, GOAL, contestants, 3 if smoke else 101, allowance=0.3e-6, notes=notes)
