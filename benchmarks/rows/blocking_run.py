# SPDX-License-Identifier: Apache-2.0
"""A blocking run of one small range command beside numba's parallel loop."""

from __future__ import annotations

from typing import Any

from harness import Contestant, Mismatch, NotMeasured, Result, race, timed_calls, version_of
from nexus_add import NexusAdd

NAME = "blocking run, 1 024 items"
GOAL = "not slower than numba's prange"
ITEMS = 1024


def measure(*, smoke: bool) -> Result:
    """Both add the same float32 arrays; each call returns when the sum is there."""
    import numpy as np

    peer_label = version_of("numba")
    try:
        import numba
    except ImportError as error:
        raise NotMeasured(f"numba does not import: {error}") from error

    def add(a: Any, b: Any, c: Any) -> None:
        for i in numba.prange(a.shape[0]):
            c[i] = a[i] + b[i]

    numba_add = numba.njit(add, parallel=True)
    ours = NexusAdd(ITEMS)
    a, b = ours.a, ours.b
    c = np.zeros_like(a)
    numba_add(a, b, c)
    ours.schedule.run()
    if not np.array_equal(ours.result(), c):
        raise Mismatch("the sums of nexus and numba differ")

    calls = 50 if smoke else 1000
    threads = f"{numba.threading_layer()}, {numba.get_num_threads()} threads"
    contestants = [
        Contestant(ours.label, timed_calls(ours.schedule.run, (), calls)),
        Contestant(f"{peer_label}, {threads}", timed_calls(numba_add, (a, b, c), calls)),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 41)
