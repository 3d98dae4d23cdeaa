# SPDX-License-Identifier: Apache-2.0
"""Making and letting go of objects costs no memory that grows with their number."""

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
    """What makes and lets go of one object of a kind."""

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

    def make_buffer(self) -> None:
        self.device.create_buffer(64)

    def make_slice(self) -> None:
        self.buffer[4:8]

    def make_memoryview(self) -> None:
        memoryview(self.buffer)

    def make_array(self) -> None:
        np.asarray(self.buffer)

    def make_dlpack(self) -> None:
        self.buffer.__dlpack__()

    def make_import(self) -> None:
        nexus.from_dlpack(self.host)

    def make_system_buffer(self) -> None:
        nexus.create_buffer(64)

    def make_stream(self) -> None:
        self.device.create_stream()

    def make_event(self) -> None:
        self.device.create_event()

    def make_used_event(self) -> None:
        self.stream.signal(self.device.create_event(), 1)

    def make_signal(self) -> None:
        self.value += 1
        self.stream.signal(self.event, self.value)

    def make_schedule(self) -> None:
        self.device.create_schedule()

    def make_command(self) -> None:
        self.device.create_schedule().create_command(self.kernel, (self.buffer, 1), 1, COUNT)

    def make_kernel(self) -> None:
        self.work.library.get_kernel("fill_i32")

    def make_library(self) -> None:
        self.work.load()

    def make_wrapper(self) -> None:
        self.stream.device.default_stream  # noqa: B018

    def make_run(self) -> None:
        self.schedule.run(self.stream)

    def make_copy(self) -> None:
        self.buffer.copy(self.host, blocking=False)

    def make_error(self) -> None:
        with contextlib.suppress(nexus.NexusError):
            self.work.library.get_kernel("none of that name")

    def slots(self) -> dict[str, int]:
        """The number of the slot that the plug-in gives a new object of each kind."""
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
    """Bytes of the process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def growth(make: Callable[[], None], count: int) -> int:
    """By how many bytes the process grows between a tenth of count and all of it."""
    for _ in range(count // 10):
        make()
    before = resident()
    for _ in range(count - count // 10):
        make()
    return resident() - before


MANY = 50_000  # one leaked allocation each, of 32 bytes at least, is more than a mebibyte
KINDS = [name.removeprefix("make_") for name in vars(Makers) if name.startswith("make_")]
FEWER = {"library": 5_000}  # each takes longer, and would leave pages


@pytest.mark.parametrize("kind", KINDS)
def test_many_objects_leave_no_memory_and_no_handle(on_cpu: Workload, kind: str) -> None:
    makers, count = Makers(on_cpu), FEWER.get(kind, MANY)
    before = makers.slots()
    assert growth(getattr(makers, f"make_{kind}"), count) < MEBIBYTE
    on_cpu.device.synchronize(20.0)
    after = makers.slots()
    few = count // 100  # may have lived at once, where a thread let them go later
    assert {name for name in after if after[name] > before[name] + few} == set()
