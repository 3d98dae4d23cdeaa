# SPDX-License-Identifier: Apache-2.0
"""A blocking run of one small range command beside numba's parallel loop."""

from __future__ import annotations

from harness import Contestant, Mismatch, Result, race, timed_calls
from nexus_add import NexusAdd
from numba_add import numba_add as numba_side

NAME = "blocking run, 1 024 items"
GOAL = "not slower than numba's prange"
ITEMS = 1024


def measure(*, smoke: bool) -> Result:
    """Both add the same float32 arrays; each call returns when the sum is there."""
    import numpy as np

    peer_label, numba_add = numba_side()
    ours = NexusAdd(ITEMS)
    a, b = ours.a, ours.b
    c = np.zeros_like(a)
    numba_add(a, b, c)
    ours.schedule.run()
    if not np.array_equal(ours.result(), c):
        raise Mismatch("the sums of nexus and numba differ")

    calls = 50 if smoke else 1000
    contestants = [
        Contestant(ours.label, timed_calls(ours.schedule.run, (), calls)),
        Contestant(peer_label, timed_calls(numba_add, (a, b, c), calls)),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41)
