# SPDX-License-Identifier: Apache-2.0
"""The device `faulty:0` (tests/plugins/nexus-faulty) and work with a known result on it."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import nexus
from nexus import _core
from nexus.status import Status

KERNELS = b"nexus-reference 1\nfill_f32\nscale_f32\nadd_f32\nfail\n"
COUNT = 16  # elements of a buffer
BACKENDS = ("faulty", "frail")  # the second is another one of the first
LONG = 20.0  # seconds: for waits that end soon, unless a promise is broken
REFUSED = Status.NXS_OutOfResources
LOST = Status.NXS_DeviceLost

_settings = itertools.count(1)


@contextmanager
def faults(*rules: str, backend: str = "faulty") -> Iterator[None]:
    """Within it the calls that the rules name fail, as the plug-in's README says."""
    _core.set_config(f"{backend}.faults", f"#{next(_settings)} {','.join(rules)}")
    try:
        yield
    finally:
        _core.set_config(f"{backend}.faults", "")


@contextmanager
def gate() -> Iterator[None]:
    """Within it work with the fault `hold` does not begin."""
    for backend in BACKENDS:
        _core.set_config(f"{backend}.gate", "")
    try:
        yield
    finally:
        open_gate()


def open_gate() -> None:
    """Lets held work begin."""
    for backend in BACKENDS:
        _core.set_config(f"{backend}.gate", "open")


class Bench:
    """The objects that most tests need, made while nothing fails."""

    def __init__(self, device: nexus.Device) -> None:
        self.device = device
        self.library = self.new_library()
        self.buffer = self.floats()
        self.stream = device.create_stream()
        self.event = device.create_event()

    def floats(self, value: float = 0) -> nexus.Buffer:
        """A buffer of float32, all of that value."""
        return self.device.create_buffer(np.full(COUNT, value, np.float32))

    def new_library(self) -> nexus.Library:
        """One that is loaded for nobody else."""
        return self.device.load_library(KERNELS)

    def kernel(self, name: str) -> nexus.Kernel:
        """A kernel of the library."""
        return self.library.get_kernel(name)

    def filling(self, value: float, out: nexus.Buffer | None = None) -> nexus.Schedule:
        """A schedule that sets the buffer to value."""
        schedule = self.device.create_schedule()
        self.fill(schedule, value, out)
        return schedule

    def fill(
        self, schedule: nexus.Schedule, value: float, out: nexus.Buffer | None = None
    ) -> nexus.Command:
        """Appends a kernel command that sets the buffer to value."""
        args = (self.buffer if out is None else out, value)
        return schedule.create_command(self.kernel("fill_f32"), args, 4, COUNT)

    def fail(self, schedule: nexus.Schedule) -> nexus.Command:
        """Appends a kernel command that fails when it runs."""
        return schedule.create_command(self.kernel("fail"), (), 1, 1)

    def failing(self) -> nexus.Schedule:
        """A schedule that fails when it runs."""
        schedule = self.device.create_schedule()
        self.fail(schedule)
        return schedule

    def check_works(self) -> None:
        """All objects do what they did before."""
        schedule = self.filling(3)
        schedule.run(self.stream, timeout=LONG)
        assert self.buffer.numpy().tolist() == [3] * COUNT
        self.buffer.fill(5, stream=self.stream)
        assert self.buffer.numpy().tolist() == [5] * COUNT


def live_objects(device: nexus.Device) -> int:
    """How many of the plug-in's objects there are."""
    gc.collect()
    return device.runtime.get_property_int("LiveObjects")
