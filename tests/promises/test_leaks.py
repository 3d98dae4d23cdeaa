# SPDX-License-Identifier: Apache-2.0
"""Making and releasing objects leaks no memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from workload import COUNT, Workload

import nexus

pytestmark = [
    pytest.mark.skipif(
        not Path("/proc/self/statm").exists(),
        reason="needs /proc/self/statm, the resident memory as Linux tells it: run it on Linux",
    ),
    pytest.mark.unsanitized("measures memory, which a sanitizer keeps after its release"),
]

MEBIBYTE = 2**20
SLOT = 0xFFFFFF  # the bits of an id that number the plug-in's slot, which is used again


class Makers:
    """A function that makes and releases one object of a kind."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.device = work.device
        self.buffer = work.ints()
        self.stream = work.device.create_stream()
        self.event = work.device.create_event()
        self.schedule = work.filling(work.ints(), 1)
        self.kernel = work.library.get_kernel("fill_i32")
        self.host = np.zeros(COUNT, np.int32)
        self.value = 0

    def signal(self) -> None:
        """An event grows."""
        self.value += 1
        self.stream.signal(self.event, self.value)

    def fail(self) -> None:
        """An error is raised."""
        with contextlib.suppress(nexus.NexusError):
            self.work.library.get_kernel("none of that name")

    def slots(self) -> dict[str, int]:
        """Returns the plug-in's slot number of a new object of each kind."""
        objects: dict[str, Any] = {
            "buffer": self.device.create_buffer(64),
            "stream": self.device.create_stream(),
            "schedule": self.device.create_schedule(),
            "kernel": self.work.library.get_kernel("fill_i32"),
            "command": self.device.create_schedule().create_command(self.kernel),
            "library": self.work.load(),
        }
        return {name: each.get_property_int("ID") & SLOT for name, each in objects.items()}


def resident() -> int:
    """Returns the resident memory of the process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def growth(make: Callable[[], object], count: int) -> int:
    """Returns by how many bytes the process grows between a tenth of count and count."""
    for _ in range(count // 10):
        make()
    before = resident()
    for _ in range(count - count // 10):
        make()
    return resident() - before


MAKE: dict[str, Callable[[Makers], object]] = {
    "buffer": lambda m: m.device.create_buffer(64),
    "slice": lambda m: m.buffer[4:8],
    "memoryview": lambda m: memoryview(m.buffer),
    "array": lambda m: np.asarray(m.buffer),
    "dlpack": lambda m: m.buffer.__dlpack__(),
    "import": lambda m: nexus.from_dlpack(m.host),
    "system buffer": lambda m: nexus.create_buffer(64),
    "used system buffer": lambda m: m.buffer.copy_from(nexus.create_buffer(m.host), m.stream),
    "stream": lambda m: m.device.create_stream(),
    "event": lambda m: m.device.create_event(),
    "used event": lambda m: m.stream.signal(m.device.create_event(), 1),
    "signal": Makers.signal,
    "schedule": lambda m: m.device.create_schedule(),
    "command": lambda m: m.device.create_schedule().create_command(
        m.kernel, (m.buffer, 1), 1, COUNT
    ),
    "kernel": lambda m: m.work.library.get_kernel("fill_i32"),
    "library": lambda m: m.work.load(),
    "wrapper": lambda m: m.stream.device.default_stream,
    "run": lambda m: m.schedule.run(m.stream),
    "copy": lambda m: m.buffer.copy(m.host, blocking=False),
    "error": Makers.fail,
}
MANY = 50_000  # one leaked allocation each, of 32 bytes at least, is more than a mebibyte
FEWER = {"library": 5_000}  # each takes longer, and would leave pages


@pytest.mark.parametrize("kind", MAKE)
def test_many_objects_leave_no_memory_and_no_handle(on_cpu: Workload, kind: str) -> None:
    makers, count = Makers(on_cpu), FEWER.get(kind, MANY)
    before = makers.slots()
    # A leak grows each time; what other threads and allocators keep does not.
    assert any(growth(lambda: MAKE[kind](makers), count) < MEBIBYTE for _ in range(3))
    on_cpu.device.synchronize(20.0)
    after = makers.slots()
    few = count // 100  # may live at once if a thread releases them later
    assert {name for name in after if after[name] > before[name] + few} == set()
