# SPDX-License-Identifier: Apache-2.0
"""Creating and releasing objects does not make memory grow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance._resident import require_resident, resident
from nexus.conformance.api.workbench import COUNT, LONG, Workbench

COUNTED = 5000
MOST = 40  # bytes that each object may leave; a leaked handle costs more
SLACK = 65536  # bytes that pools may grow by
ROUNDS = 4  # a pool may grow in some rounds, a leak in each


class Makers:
    """Functions that make, use and release one object of a kind."""

    def __init__(self, work: Workbench) -> None:
        self.work = work
        self.device = work.device
        self.buffer, self.host = work.ints(), np.zeros(COUNT, np.int32)
        self.stream, self.event = work.device.create_stream(), work.device.create_event()
        self.schedule = work.filling(work.ints(), 1)
        self.kernel = work.kernels["fill_i32"]
        self.value = 0

    def buffers(self) -> None:
        self.device.create_buffer(1000).fill(1, blocking=False)

    def slices(self) -> None:
        self.buffer[4:8].fill(1, blocking=False)

    def streams(self) -> None:
        stream = self.device.create_stream()
        self.buffer.fill(1, stream=stream, blocking=False)
        stream.synchronize(LONG)

    def events(self) -> None:
        self.stream.signal(self.device.create_event(), 1)

    def signals(self) -> None:
        self.value += 1
        self.stream.signal(self.event, self.value)

    def schedules(self) -> None:
        schedule = self.device.create_schedule()
        schedule.create_command(self.kernel, (self.buffer, np.int32(1)), None, COUNT)
        schedule.create_fill_command(self.buffer, 1)
        schedule.create_copy_command(self.buffer[:4], self.buffer[4:8])
        schedule.create_signal_command(self.device.create_event())
        schedule.run(self.stream, blocking=False)

    def unfinished_commands(self) -> None:
        self.device.create_schedule().create_command(self.kernel)

    def runs(self) -> None:
        self.schedule.get_commands()[0].set_arg(1, np.int32(5))
        self.schedule.run(self.stream, blocking=False)

    def calls(self) -> None:
        self.value += 1
        self.kernel(self.buffer, np.int32(1), grid=1 + self.value % COUNT, blocking=False)
        self.kernel(self.host, np.int32(1), grid=COUNT)

    def kernels(self) -> None:
        self.work.library("elements").get_kernel("copy_i32")

    def copies(self) -> None:
        self.buffer.copy_from(self.host, stream=self.stream, blocking=False)
        self.buffer.copy(self.host, stream=self.stream, blocking=False)

    def errors(self) -> None:
        with contextlib.suppress(nexus.NexusError):
            self.work.library("elements").get_kernel("none of that name")
        with contextlib.suppress(nexus.NexusError):
            self.device.load_library(b"garbage")

    def properties(self) -> None:
        self.buffer.properties["Size"]
        self.kernel.properties["Name"]

    def cancelled(self) -> None:
        stream = self.device.create_stream()
        stream.wait(self.device.create_event(), 1)
        stream.signal(self.device.create_event(), 1)
        stream.close()

    def libraries(self) -> None:
        self.work.load("elements").get_kernel("fill_i32")


KINDS = [name for name in vars(Makers) if not name.startswith("_")]
FEWER = {"calls": 1000, "libraries": 300, "streams": 500, "cancelled": 1000}  # these take longer


def growth(make: Callable[[], None], settle: Callable[[], None], count: int) -> int:
    """Returns the growth of the process in bytes while it creates that many objects."""
    for _ in range(count // 10 + 10):
        make()
    settle()
    before = resident()
    for number in range(count):
        make()
        if number % 100 == 99:
            settle()
    settle()
    return resident() - before


@pytest.mark.promise("life-no-leak")
@pytest.mark.parametrize("kind", KINDS)
def test_objects_leave_no_memory_and_are_listed_no_more(work: Workbench, kind: str) -> None:
    require_resident()
    makers = Makers(work)
    device, count = work.device, FEWER.get(kind, COUNTED)
    kinds = ("buffers", "streams", "events", "schedules")
    before = [work.live(each) for each in kinds]
    most = MOST * count + SLACK
    make, settle = getattr(makers, kind), lambda: device.synchronize(LONG)
    assert any(growth(make, settle, count) < most for _ in range(ROUNDS))
    assert [work.live(each) for each in kinds] == before


@pytest.mark.promise("life-no-leak")
def test_the_memory_of_buffers_is_given_back(work: Workbench) -> None:
    size = 16 * 2**20
    rounds = 40
    for _ in range(rounds):  # more bytes than the device has, if none were freed
        with work.device.create_buffer(size) as buffer:
            buffer[:4096].fill(1)
    require_resident()
    before = resident()
    for _ in range(rounds):
        work.device.create_buffer(size)[:65536].fill(1)
    assert resident() - before < rounds * 65536
