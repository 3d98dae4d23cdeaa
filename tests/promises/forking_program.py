# SPDX-License-Identifier: Apache-2.0
"""Forks while work runs and is held back, and prints what it finds.

    NEXUS_LAYERS=calls NEXUS_CALLS_FILE=calls.txt python forking_program.py LIBRARY

A line of the output is the name of a check, a colon, and the result.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from workload import COUNT, LONG, Obstacle, Workload, values

import nexus
from nexus.conformance.api.child import in_child, outcome, say

TRACE = Path(os.environ["NEXUS_CALLS_FILE"])


def calls_of_plugins(act: Callable[[], None]) -> int:
    """Counts the calls of plug-ins' functions during a call."""
    before = TRACE.stat().st_size
    act()
    return TRACE.read_bytes()[before:].count(b"\n")


def result_of_new_objects(library: Path, value: int) -> set[int]:
    work = Workload(nexus.get_device("cpu"), library)
    result = work.ints()
    work.filling(result, value).run(work.device.create_stream(), timeout=LONG)
    return values(result)


class Inherited:
    """One object of each kind, in use when the parent forks."""

    def __init__(self, work: Workload, stream: nexus.Stream) -> None:
        self.runtime, self.device, self.stream = work.device.runtime, work.device, stream
        self.buffer, self.event = work.ints(), work.device.create_event()
        self.view = np.asarray(work.ints())
        self.library, self.kernel = work.library, work.library.get_kernel("fill_i32")
        self.kernel.get_property_str("Name")  # a constant, which the parent keeps
        self.schedule = work.device.create_schedule()
        self.command = work.fill(self.schedule, self.buffer, 1)
        self.schedule.create_signal_command(self.event)
        self.schedule.run(stream, blocking=False)
        self.host = np.zeros(COUNT, np.int32)
        self.buffer.copy(self.host, stream=stream, blocking=False)

    def uses(self) -> dict[str, Callable[[], object]]:
        """Calls that would work in the parent."""
        return {
            "runtime.get_device": lambda: self.runtime.get_device(0),
            "device.create_buffer": lambda: self.device.create_buffer(64),
            "device.create_stream": lambda: self.device.create_stream(),
            "device.synchronize": lambda: self.device.synchronize(LONG),
            "stream.synchronize": lambda: self.stream.synchronize(LONG),
            "stream.signal": lambda: self.stream.signal(self.event, 5),
            "buffer.numpy": lambda: self.buffer.numpy(),
            "buffer.fill": lambda: self.buffer.fill(1),
            "library.get_kernel": lambda: self.library.get_kernel("fill_i32"),
            "kernel": lambda: self.kernel.get_property_str("Name"),
            "event.wait": lambda: self.event.wait(1, timeout=LONG),
            "event.signal": lambda: self.event.signal(1),
            "event.value": lambda: self.event.value,
            "schedule.run": lambda: self.schedule.run(timeout=LONG),
            "schedule.create_command": lambda: self.schedule.create_command(self.kernel),
            "command.set_arg": lambda: self.command.set_arg(1, 2),
        }


def main() -> None:
    library = Path(sys.argv[1])
    work = Workload(nexus.get_device("cpu"), library)
    streams = [work.device.create_stream() for _ in range(3)]
    held, running = Obstacle(work, running=False), Obstacle(work, running=True)
    objects: list[Inherited] = []

    def child() -> None:
        for name, use in objects[0].uses().items():
            say(f"use of {name}", outcome(use))

        def let_go() -> None:
            objects.clear()
            streams.clear()
            gc.collect()

        say("calls for what was inherited", calls_of_plugins(let_go))
        new = calls_of_plugins(lambda: say("child's result", result_of_new_objects(library, 5)))
        say("calls for new objects", new)
        assert in_child(lambda: say("grandchild's result", result_of_new_objects(library, 6))) == 0

    with held.before(streams[0]) as release_held, running.before(streams[1]) as release_running:
        objects += [Inherited(work, stream) for stream in streams]
        assert in_child(child) == 0
        assert not streams[0].is_idle
        release_held()
        release_running()
        results = []
        for value, (each, stream) in enumerate(zip(objects, streams, strict=True), start=1):
            each.event.wait(1, timeout=LONG)
            stream.synchronize(LONG)
            each.command.set_arg(1, value)
            each.schedule.run(stream, timeout=LONG)
            assert (each.host == 1).all()
            results.append(values(each.buffer))
        say("parent's results", results)


if __name__ == "__main__":
    main()
