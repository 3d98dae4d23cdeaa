# SPDX-License-Identifier: Apache-2.0
"""Work with a known result on any backend, and ways to block it until a test unblocks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import nexus
from nexus.conformance.api.workbench import COUNT, Work, values

__all__ = ["COUNT", "LONG", "Obstacle", "Release", "Workload", "allowing", "values"]

Release = Callable[[], None]

LONG = 20.0  # seconds: for waits that end soon, unless a promise is broken


class Workload(Work):
    """A device and the kernels that every backend under test has."""

    def __init__(self, device: nexus.Device, source: Path | bytes) -> None:
        super().__init__(device)
        self.source = source

    def kernel(self, name: str) -> nexus.Kernel:
        """One of the kernels."""
        return self.library.get_kernel(name)

    @cached_property
    def library(self) -> nexus.Library:
        """The kernels."""
        return self.load()

    def load(self) -> nexus.Library:
        """Loads the kernels again, as another library."""
        return self.device.load_library(self.source)


@dataclass(frozen=True)
class Obstacle:
    """A way to block a stream's work: before it reaches the backend, or in the backend."""

    work: Workload
    running: bool

    @contextmanager
    def before(self, stream: nexus.Stream | None = None) -> Iterator[Release]:
        """Blocks later work of the stream until release() or the end."""
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
        while not flags[0]:  # until the backend has started
            pass

        def release() -> None:
            flags[1] = 1

        return release


@contextmanager
def allowing(*words: str) -> Iterator[None]:
    """Ignores errors whose text has one of the words."""
    try:
        yield
    except (nexus.NexusError, BufferError) as error:
        if not any(word in str(error) for word in words):
            raise
