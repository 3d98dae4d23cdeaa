# SPDX-License-Identifier: Apache-2.0
"""Two streams that take turns at one counter, beside two queues of pyopencl."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import nexus
from harness import Contestant, Mismatch, Result, our_version, race
from opencl_cpu import OpenCL, opencl_peers
from our_side import compiled

NAME = "two-stream ping-pong, one turn"
GOAL = "not slower than pyopencl's"

_SOURCE = """
NEXUS_KERNEL(count_up, (NEXUS_GLOBAL int *, counter)) {
  counter[nexus_global_id(0)] += 1;
}
"""
_CL_SOURCE = """
__kernel void count_up(__global int *counter) { counter[get_global_id(0)] += 1; }
"""


class _Ours:
    """Each turn waits for the value that the turn before signalled in the other stream."""

    def __init__(self) -> None:
        import numpy as np

        self.label = our_version()
        self._device = nexus.get_device("cpu")
        self._counter = self._device.create_buffer(np.zeros(1, np.int32))
        self._done = self._device.create_event()
        library, _ = compiled(nexus.Program(_SOURCE), self._device)
        self._turns = [self._turn(library.get_kernel("count_up"), first) for first in (0, 1)]

    def _turn(self, kernel: nexus.Kernel, first: int) -> Any:
        schedule = self._device.create_schedule()
        schedule.create_wait_command(self._done, first, 2)
        schedule.create_command(kernel, (self._counter,), 1, 1)
        schedule.create_signal_command(self._done, first + 1, 2)
        return schedule, self._device.create_stream()

    def play(self, rounds: int) -> None:
        (ping, here), (pong, there) = self._turns
        for _ in range(rounds):
            ping.run(here, False)
            pong.run(there, False)
        there.synchronize()

    def count(self) -> int:
        return int(self._counter.numpy()[0])


@dataclass
class _Theirs:
    """Each turn is enqueued behind the event of the turn before."""

    runtime: OpenCL
    queues: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        import numpy as np

        self.label = self.runtime.label
        self.queues = [self.runtime.queue(), self.runtime.queue()]
        self._counter = self.runtime.buffer(np.zeros(1, np.int32))
        self._kernel = self.runtime.kernel(_CL_SOURCE, "count_up")
        self._kernel.set_args(self._counter)

    def play(self, rounds: int) -> None:
        enqueue = self.runtime.cl.enqueue_nd_range_kernel
        here, there = self.queues
        last = None
        for _ in range(rounds):
            last = enqueue(here, self._kernel, (1,), None, wait_for=last and [last])
            here.flush()
            last = enqueue(there, self._kernel, (1,), None, wait_for=[last])
            there.flush()
        there.finish()

    def count(self) -> int:
        import numpy as np

        host = np.zeros(1, np.int32)
        self.runtime.cl.enqueue_copy(self.queues[1], host, self._counter)
        return int(host[0])


def measure(*, smoke: bool) -> Result:
    """Times a turn, from the first submission to the end of the last one's work."""
    rounds = 10 if smoke else 200
    ours = _Ours()
    peers, notes = opencl_peers(_Theirs)
    sides: list[_Ours | _Theirs] = [ours, *peers]
    for side in sides:
        side.play(rounds)
        if side.count() != 2 * rounds:
            raise Mismatch(f"{side.label} counted to {side.count()}, not to {2 * rounds}")

    contestants = [Contestant(side.label, _batch(side, rounds)) for side in sides]
    return race(NAME, GOAL, contestants, 3 if smoke else 41, notes=notes)


def _batch(side: _Ours | _Theirs, rounds: int) -> Any:
    def batch() -> float:
        start = perf_counter()
        side.play(rounds)
        return (perf_counter() - start) / (2 * rounds)

    return batch
