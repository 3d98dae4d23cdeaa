# SPDX-License-Identifier: Apache-2.0
"""Eight Python threads that run schedules, beside one thread that does the same runs.

Only a free-threaded Python can run eight threads at once, so only there is it measured.
"""

from __future__ import annotations

import sys
import threading
import time

from harness import Contestant, Mismatch, NotMeasured, Result, machine, race
from nexus_add import NexusAdd

NAME = "blocking runs of eight threads"
GOAL = "at least 0.6 of the speed of min(8, cores) single threads"
THREADS = 8
ITEMS = 1024
_SHARE = 0.6


def measure(*, smoke: bool) -> Result:
    """Each thread has a schedule, buffers and a stream of its own, on one CPU device."""
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        raise NotMeasured("this Python has the GIL: run it with a free-threaded one (python3.14t)")
    sides = [NexusAdd(ITEMS) for _ in range(THREADS)]
    calls, repeats = (100, 3) if smoke else (4000, 21)
    eight = Contestant(f"{sides[0].label}, {THREADS} threads", lambda: _seconds(sides, calls))
    one = Contestant(f"{sides[0].label}, one thread", lambda: _seconds(sides[:1], THREADS * calls))
    eight.batch()
    for side in sides:
        if not (side.result() == side.a + side.b).all():
            raise Mismatch("the sum of a thread is wrong")
    cores = min(THREADS, machine()["cores"])
    return race(NAME, GOAL, [eight, one], repeats, limit=1 / (_SHARE * cores))


def _seconds(sides: list[NexusAdd], calls: int) -> float:
    """Returns the seconds of one run, while each side is run that often by a thread of its own."""
    begin = threading.Barrier(len(sides) + 1)

    def run(side: NexusAdd) -> None:
        begin.wait()
        for _ in range(calls):
            side.schedule.run(side.stream)

    threads = [threading.Thread(target=run, args=(side,)) for side in sides]
    for thread in threads:
        thread.start()
    begin.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - start) / (len(sides) * calls)
