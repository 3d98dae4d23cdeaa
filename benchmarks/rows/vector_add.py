# SPDX-License-Identifier: Apache-2.0
"""The sum of two large arrays beside an OpenMP loop in C, by the best compiler found."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from harness import Contestant, Mismatch, NotMeasured, Result, interleave, timed_calls
from nexus_add import NexusAdd
from openmp import add_loops

NAME = "vector add, 2^25 float32"
GOAL = "at least 97 % of the OpenMP loop's speed"


def measure(*, smoke: bool) -> Result:
    """Ours is a blocking run from Python, the peer a call through ctypes, on the same memory."""
    items = 1 << (20 if smoke else 25)
    notes = [f"only 2^{items.bit_length() - 1} values"] if smoke else []
    ours = NexusAdd(items)
    ours.schedule.run()
    expected = ours.result()
    a, b, c = ours.views()
    arguments = (a.ctypes.data, b.ctypes.data, c.ctypes.data, items)
    peers = []
    with tempfile.TemporaryDirectory() as folder:
        for label, add in add_loops(Path(folder), notes):
            c[:] = 0
            add(*arguments)
            if not np.array_equal(expected, c):
                raise Mismatch(f"the sums of nexus and {label} differ")
            peers.append(Contestant(label, timed_calls(add, arguments, 1)))
    if not peers:
        raise NotMeasured("; ".join(notes))
    our_timing, *peer_timings = interleave(
        [Contestant(ours.label, timed_calls(ours.schedule.run, (), 1)), *peers],
        repeats=3 if smoke else 41,
    )
    best = min(peer_timings, key=lambda timing: timing.median)
    notes += [f"beside {t.label}: {t.median * 1e3:.3f} ms" for t in peer_timings if t is not best]
    met = best.median / our_timing.median >= 0.97
    return Result(NAME, GOAL, our_timing, best, our_timing.median / best.median, met, notes)
