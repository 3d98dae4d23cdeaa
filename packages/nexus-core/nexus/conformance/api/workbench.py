# SPDX-License-Identifier: Apache-2.0
"""Creates work with a known result, and holds it up, on any backend."""

from __future__ import annotations

import gc
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import pytest

import nexus

COUNT = 16  # elements of a buffer whose size does not matter
LONG = 60.0  # seconds: for waits that end soon unless a promise is broken
SHORT = 0.02  # seconds: for waits that time out
RUNS_FOR = 0.04  # seconds that the work of spinning() takes at least

Release = Callable[[], None]
After = Sequence[nexus.Command] | None  # what a command follows
T = TypeVar("T")


class Kernels(Protocol):
    """The suite's kernels, by their names."""

    def __getitem__(self, name: str) -> nexus.Kernel: ...

    def library(self, stem: str) -> nexus.Library: ...

    def code(self, stem: str) -> bytes: ...

    def prebuilt(self, stem: str) -> Path: ...


class Work(ABC):
    """A device, and work on it with three kernels: fill_i32, copy_i32 and add_i32."""

    def __init__(self, device: nexus.Device) -> None:
        self.device = device

    @abstractmethod
    def kernel(self, name: str) -> nexus.Kernel:
        """Returns the kernel of that name."""

    def ints(self, value: int = 0, count: int = COUNT) -> nexus.Buffer:
        """Creates a buffer of int32, filled with that value."""
        return self.device.create_buffer(np.full(count, value, np.int32))

    # ---- Commands: each appends one kernel ----

    def fill(
        self, schedule: nexus.Schedule, out: nexus.Buffer, value: int, after: After = None
    ) -> nexus.Command:
        """Appends out = value."""
        return self._append(schedule, "fill_i32", after, out, np.int32(value))

    def copy(
        self, schedule: nexus.Schedule, x: nexus.Buffer, out: nexus.Buffer, after: After = None
    ) -> nexus.Command:
        """Appends out = x."""
        return self._append(schedule, "copy_i32", after, x, out)

    def add(
        self,
        schedule: nexus.Schedule,
        a: nexus.Buffer,
        b: nexus.Buffer,
        out: nexus.Buffer,
        after: After = None,
    ) -> nexus.Command:
        """Appends out = a + b; out must be neither a nor b."""
        return self._append(schedule, "add_i32", after, a, b, out)

    def _append(
        self, schedule: nexus.Schedule, kernel: str, after: After, *args: Any
    ) -> nexus.Command:
        count = next(each.shape[0] for each in args if isinstance(each, nexus.Buffer))
        return schedule.create_command(self.kernel(kernel), args, None, count, after=after)

    # ---- Schedules ----

    def filling(self, out: nexus.Buffer, value: int) -> nexus.Schedule:
        """Makes a schedule that sets `out` to a value."""
        schedule = self.device.create_schedule()
        self.fill(schedule, out, value)
        return schedule

    def copying(self, x: nexus.Buffer, out: nexus.Buffer) -> nexus.Schedule:
        """Makes a schedule that copies `x` to `out`."""
        schedule = self.device.create_schedule()
        self.copy(schedule, x, out)
        return schedule

    def counting(self, counter: nexus.Buffer, step: int = 1) -> nexus.Schedule:
        """Makes a schedule that adds step to counter in two steps: overlapping runs lose some."""
        schedule = self.device.create_schedule()
        count = counter.shape[0]
        more = self.ints(count=count)
        self.add(schedule, counter, self.ints(step, count), more)
        self.copy(schedule, more, counter)
        return schedule


class Workbench(Work):
    """Work with all kernels of the suite."""

    def __init__(self, device: nexus.Device, kernels: Kernels) -> None:
        super().__init__(device)
        self.kernels = kernels
        self._turns = 0

    def kernel(self, name: str) -> nexus.Kernel:
        return self.kernels[name]

    def library(self, stem: str) -> nexus.Library:
        """Returns the shared library of kernels/<stem>.c."""
        return self.kernels.library(stem)

    def load(self, stem: str) -> nexus.Library:
        """Loads the library of kernels/<stem>.c once more."""
        bits = self.device.runtime.get_property_int("Capabilities")
        if bits & nexus.capability.LibraryFromMemory:
            return self.device.load_library(self.kernels.code(stem))
        return self.device.load_library(self.kernels.prebuilt(stem))

    def live(self, kind: str) -> int:
        """Returns the number of objects of a kind, such as 'buffers', in use, without garbage."""
        gc.collect()
        return len(getattr(self.device, f"get_{kind}")())

    def launch(
        self,
        kernel: str,
        args: tuple[Any, ...],
        grid_size: Any = 1,
        group_size: Any = None,
        local_memory: Mapping[int, int] | None = None,
    ) -> nexus.Command:
        """Runs a kernel once and waits; local_memory has bytes by argument index."""
        schedule = self.device.create_schedule()
        command = schedule.create_command(self.kernels[kernel])
        given = iter(args)
        local = dict(local_memory or {})
        for index in range(len(args) + len(local)):
            if index in local:
                command.set_local_memory(index, local[index])
            else:
                command.set_arg(index, next(given))
        command.finalize(group_size, grid_size)
        schedule.run(timeout=LONG)
        return command

    def spinning(self, out: nexus.Buffer | None = None) -> nexus.Schedule:
        """Makes a schedule whose run takes some time and changes `out`."""
        schedule = self.device.create_schedule()
        target = self.device.create_buffer((1,), dtype="uint32") if out is None else out
        schedule.create_command(self.kernels["spin"], (target, self.turns()), 1, 1)
        return schedule

    def turns(self) -> np.int64:
        """Returns the number of turns for which the kernel `spin` takes some time."""
        schedule = self.device.create_schedule()
        out = self.device.create_buffer((1,), dtype="uint32")
        turns = 1000
        command = schedule.create_command(self.kernels["spin"], (out, np.int64(turns)), 1, 1)
        while self._turns == 0:  # measured once
            start = time.perf_counter()
            schedule.run(timeout=LONG)
            if time.perf_counter() - start >= RUNS_FOR:
                self._turns = turns
            turns *= 2
            command.set_arg(1, np.int64(turns))
        found: np.int64 = np.int64(self._turns)
        return found


class Obstacle:
    """Holds up a stream's work: before it reaches the backend, or behind running work."""

    def __init__(self, work: Workbench, running: bool) -> None:
        self.work = work
        self.running = running

    @contextmanager
    def before(self, stream: nexus.Stream | None = None) -> Iterator[Release]:
        """Holds up work submitted to the stream from now on, until release() or for a while."""
        stream = stream or self.work.device.default_stream
        go = self.work.device.create_event()
        if self.running:
            self.work.spinning().run(stream, blocking=False)
        else:
            stream.wait(go, 1)
        try:
            yield lambda: ignore(go.signal(1))
        finally:
            go.signal(1)


def ignore(_result: object) -> None:
    """Ignores the result of a call."""


def values(buffer: nexus.Buffer) -> set[int]:
    """Returns the values of a buffer after all work that uses it."""
    return set(buffer.numpy().tolist())


def attempted(call: Callable[[], T]) -> T | Exception:
    """Returns the call's result, or the error that it raises."""
    try:
        return call()
    except (nexus.NexusError, ValueError, BufferError) as error:
        return error


def refused(call: Callable[[], object]) -> nexus.NexusError:
    """Returns the NexusError that the call raises."""
    with pytest.raises(nexus.NexusError) as error:
        call()
    return error.value


def assert_released(object_of: Callable[[], object | None]) -> None:
    """Waits until the object of a weak reference is gone; a backend may release memory later."""
    end = time.monotonic() + LONG
    while True:
        gc.collect()
        if object_of() is None:
            return
        assert time.monotonic() < end, "the object is still kept"
        time.sleep(0.01)
