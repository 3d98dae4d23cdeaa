# SPDX-License-Identifier: Apache-2.0
"""A repeated call of a kernel, beside the run of a ready schedule and numba's parallel loop."""

from __future__ import annotations

from dataclasses import replace

from harness import Contestant, Mismatch, NotMeasured, Result, interleave, race, timed_calls
from nexus_add import NexusAdd
from numba_add import numba_add

NAME = "kernel call, 1 024 items"
GOAL = "at most 1 us over schedule.run()"
ITEMS = 1024
_MOST = 1e-6  # seconds


def measure(*, smoke: bool) -> list[Result]:
    """All add the same float32 arrays, and each call returns when the sum is there."""
    import numpy as np

    ours = NexusAdd(ITEMS)

    kernel, (a, b), out = ours.kernel, ours.inputs, ours.sum

    def call() -> None:
        kernel(a, b, out, ITEMS, grid=ITEMS)

    call()
    if not np.array_equal(ours.result(), ours.a + ours.b):
        raise Mismatch("the sum of the call is wrong")
    calls, repeats = (50, 3) if smoke else (1000, 41)
    called = Contestant(f"{ours.label}, called", timed_calls(call, (), calls))
    ready = Contestant(f"{ours.label}, ready schedule", timed_calls(ours.schedule.run, (), calls))
    call_time, run_time = interleave([called, ready], repeats)
    over = call_time.median - run_time.median
    note = f"over schedule.run(): {over * 1e6:.2f} us"
    ratio = call_time.median / run_time.median
    results = [Result(NAME, GOAL, call_time, run_time, ratio, over <= _MOST, [note])]
    try:
        label, add = numba_add()
    except NotMeasured as reason:
        return [*results, Result(f"{NAME}, numba", GOAL, notes=[f"not measured: {reason}"])]
    c = np.zeros_like(ours.a)
    add(ours.a, ours.b, c)
    if not np.array_equal(ours.result(), c):
        raise Mismatch("the sums of nexus and numba differ")
    d = np.zeros_like(c)
    arrays = timed_calls(lambda: kernel(ours.a, ours.b, d, ITEMS, grid=ITEMS), (), calls)
    arrays()
    if not np.array_equal(c, d):
        raise Mismatch("the sum of the call with numpy arrays is wrong")
    numba = Contestant(label, timed_calls(add, (ours.a, ours.b, c), calls))
    beside = race(f"{NAME}, numba", "not slower than numba's call", [called, numba], repeats)
    hosts = Contestant(f"{ours.label}, called with numpy arrays", arrays)
    in_place = race(
        f"{NAME}, numpy arrays, numba", "not slower than numba's call", [hosts, numba], repeats
    )
    return [*results, replace(beside, notes=[*beside.notes, note]), in_place]
