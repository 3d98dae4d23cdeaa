# SPDX-License-Identifier: Apache-2.0
"""Making and releasing a buffer of 4 KiB beside pyopencl's."""

from __future__ import annotations

from functools import partial

import nexus
from harness import Contestant, Mismatch, Result, our_version, race, timed_calls
from opencl_cpu import OpenCL, opencl_peers

NAME = "create and release 4 KiB"
GOAL = "not slower than pyopencl's"
BYTES = 4096


def measure(*, smoke: bool) -> Result:
    """A buffer that nothing holds is released when the call that made it returns."""
    device = nexus.get_device("cpu")
    peers, notes = opencl_peers(lambda runtime: runtime)
    for peer in peers:
        if peer.cl.Buffer(peer.context, peer.cl.mem_flags.READ_WRITE, BYTES).size != BYTES:
            raise Mismatch(f"the buffer of {peer.label} has another size")
    if device.create_buffer(BYTES).nbytes != BYTES:
        raise Mismatch("the buffer of nexus has another size")

    calls = 50 if smoke else 500
    contestants = [
        Contestant(our_version(), timed_calls(device.create_buffer, (BYTES,), calls)),
        *(Contestant(peer.label, timed_calls(_creator(peer), (), calls)) for peer in peers),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, notes=notes)


def _creator(peer: OpenCL) -> partial[object]:
    return partial(peer.cl.Buffer, peer.context, peer.cl.mem_flags.READ_WRITE, BYTES)
