# SPDX-License-Identifier: Apache-2.0
"""Work with a known result, on any backend, and what holds it up until a test lets it go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import nexus

Release = Callable[[], None]

COUNT = 16  # elements of a buffer, where its size is of no matter
LONG = 20.0  # seconds: for waits that end soon, unless a promise is broken


@dataclass(frozen=True)
class Workload:
    """A device and the kernels that every backend under test has."""

    device: nexus.Device
    source: Path | bytes

    @cached_property
    def library(self) -> nexus.Library:
        """The kernels."""
        return self.load()

    def load(self) -> nexus.Library:
        """The kernels once more, as an object of its own."""
        return self.device.load_library(self.source)

    def ints(self, value: int = 0, count: int = COUNT) -> nexus.Buffer:
        """A buffer of int32, all of that value."""
        return self.device.create_buffer(np.full(count, value, np.int32))

    def fill(self, schedule: nexus.Schedule, out: nexus.Buffer, value: int) -> nexus.Command:
        """Appends out = value."""
        return self._append(schedule, "fill_i32", out, value)

    def copy(
        self, schedule: nexus.Schedule, source: nexus.Buffer, out: nexus.Buffer
    ) -> nexus.Command:
        """Appends out = source, by a kernel, so that both can be bound anew."""
        return self._append(schedule, "copy_i32", source, out)

    def add(
        self, schedule: nexus.Schedule, a: nexus.Buffer, b: nexus.Buffer, out: nexus.Buffer
    ) -> nexus.Command:
        """Appends out = a + b; out is neither of them."""
        return self._append(schedule, "add_i32", a, b, out)

    def filling(self, out: nexus.Buffer, value: int) -> nexus.Schedule:
        """A schedule that sets out to value."""
        schedule = self.device.create_schedule()
        self.fill(schedule, out, value)
        return schedule

    def copying(self, source: nexus.Buffer, out: nexus.Buffer) -> nexus.Schedule:
        """A schedule that copies source to out."""
        schedule = self.device.create_schedule()
        self.copy(schedule, source, out)
        return schedule

    def counting(self, counter: nexus.Buffer) -> nexus.Schedule:
        """A schedule that adds one to counter in two steps: runs that overlap lose some."""
        schedule = self.device.create_schedule()
        count = counter.shape[0]
        more = self.ints(count=count)
        self.add(schedule, counter, self.ints(1, count), more)
        self.copy(schedule, more, counter)
        return schedule

    def _append(self, schedule: nexus.Schedule, kernel: str, *args: object) -> nexus.Command:
        count = next(each.shape[0] for each in args if isinstance(each, nexus.Buffer))
        group = min(count, 256)
        return schedule.create_command(self.library.get_kernel(kernel), args, group, count)


@dataclass(frozen=True)
class Obstacle:
    """How a stream's work is held up: before it reaches the backend, or in the backend."""

    work: Workload
    running: bool

    @contextmanager
    def before(self, stream: nexus.Stream | None = None) -> Iterator[Release]:
        """Holds up what is given to the stream from now on, until release() or the end."""
        stream = stream or self.work.device.default_stream
        release = self._run_gate(stream) if self.running else self._hold(stream)
        try:
            yield release
        finally:
            release()

    def _hold(self, stream: nexus.Stream) -> Release:
        go = self.work.device.create_event()
        stream.wait(go, 1)

        def release() -> None:
            go.signal(1)

        return release

    def _run_gate(self, stream: nexus.Stream) -> Release:
        gate = self.work.ints(count=2)
        flags = np.asarray(gate)
        schedule = self.work.device.create_schedule()
        schedule.create_command(self.work.library.get_kernel("gate"), (gate,), 1, 1)
        schedule.run(stream, blocking=False)
        while not flags[0]:  # else the backend might not have begun
            pass

        def release() -> None:
            flags[1] = 1

        return release


@contextmanager
def allowing(*words: str) -> Iterator[None]:
    """Lets those errors pass whose text has one of the words."""
    try:
        yield
    except (nexus.NexusError, BufferError) as error:
        if not any(word in str(error) for word in words):
            raise


def values(buffer: nexus.Buffer) -> set[int]:
    """The values that a buffer of int32 has after all work that uses it."""
    return set(buffer.numpy().tolist())
