# SPDX-License-Identifier: Apache-2.0
"""Objects of one device, calls that they have to refuse, and the proof that nothing came of it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import nexus
from nexus.status import Status

COUNT = 16  # elements of a buffer
GROUP = 4  # work items of a group
LONG = 20.0  # seconds: for waits that end soon, unless something is broken
REACHED = 5  # the value of Workbench.event


@dataclass(frozen=True)
class Backend:
    """A device, and where its kernels come from."""

    device: nexus.Device
    source: Path | bytes
    library: nexus.Library


class Workbench:
    """One object of each class, all in use, and work whose result tells whether they still work.

    `schedule` sets `out` to twice `numbers`, then signals `done` with one more each run.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.device = backend.device
        self.library = backend.library
        self.kernel = self.library.get_kernel("scale_f32")
        self.numbers: npt.NDArray[np.float32] = np.arange(COUNT, dtype=np.float32)
        self.data = self.device.create_buffer(self.numbers)
        self.out = self.device.create_buffer((COUNT,))
        self.stream = self.device.create_stream()
        self.event = self.device.create_event()
        self.event.signal(REACHED)
        self.done = self.device.create_event()
        self.schedule = self.device.create_schedule()
        self.command = self.schedule.create_command(
            self.kernel, (self.data, 2.0, self.out), GROUP, COUNT
        )
        self.signalling = self.schedule.create_signal_command(self.done)
        self.check_works()  # so that what is made at first use is there

    def floats(self, value: float = 0) -> nexus.Buffer:
        """Another buffer, all of that value."""
        return self.device.create_buffer(np.full(COUNT, value, np.float32))

    def unfinalized(self) -> nexus.Command:
        """A command without arguments and sizes, alone in a schedule."""
        return self.device.create_schedule().create_command(self.kernel)

    def bound(self) -> nexus.Command:
        """A command with its arguments, without sizes, alone in a schedule."""
        return self.device.create_schedule().create_command(self.kernel, (self.data, 2.0, self.out))

    def live(self) -> dict[str, int]:
        """How many objects there are, by what they are."""
        return {
            "buffers": len(self.device.get_buffers()),
            "libraries": len(self.device.get_libraries()),
            "streams": len(self.device.get_streams()),
            "events": len(self.device.get_events()),
            "schedules": len(self.device.get_schedules()),
            "commands": len(self.schedule.get_commands()),
        }

    def check_works(self) -> None:
        """All objects do what they are for, with right results."""
        runs = self.done.value
        for stream in (self.stream, None):
            self.out.fill(-1.0)
            self.schedule.run(stream, timeout=LONG)
            np.testing.assert_array_equal(self.out.numpy(), 2 * self.numbers)
        assert self.done.value == runs + 2
        host = np.empty_like(self.numbers)
        self.data.copy(host, stream=self.stream)
        np.testing.assert_array_equal(host, self.numbers)
        np.testing.assert_array_equal(self.data[4:8].numpy(), self.numbers[4:8])
        self.event.wait(REACHED, LONG)
        assert self.event.value == REACHED
        self.stream.synchronize(LONG)
        assert self.library.get_kernel("scale_f32").name == "scale_f32"
        assert len(self.command.get_property_int_vec("Arguments")) == 3


Call = Callable[[Any], Any]  # of a Workbench, and Any since the types forbid what is tested
Kind = type[Exception] | tuple[type[Exception], ...]


@dataclass(frozen=True)
class Case:
    """A call that is refused, and how: `texts` are what the error has to name."""

    what: str
    call: Call
    error: Kind
    texts: tuple[str, ...] = field(default=())
    status: Status | None = None


def refused(what: str, call: Call, error: Kind, *texts: str, status: Status | None = None) -> Case:
    """A case in one line of a table."""
    return Case(what, call, error, texts, status)


class Wrong(NamedTuple):
    """A value that a parameter does not take; `texts` follow the parameter's name in the error."""

    what: str
    value: Any
    error: Kind
    texts: tuple[str, ...]


def wrong(what: str, value: Any, error: Kind, *texts: str) -> Wrong:
    """One of those, in one line of a table."""
    return Wrong(what, value, error, texts)


def by_name(case: Case | Wrong) -> str:
    """A case's id."""
    return case.what


def error_of(bench: Workbench, call: Call) -> Exception:
    """Returns the error that the call raises, without its traceback and context."""
    try:
        result = call(bench)
    except Exception as error:
        return error.with_traceback(None)
    raise AssertionError(f"The call was not refused; it gave {result!r}.")


def check_refused(bench: Workbench, case: Case) -> None:
    """The error is the documented one, in a sentence that names parameter and value; everything
    works as before, and nothing is left."""
    before = bench.live()
    error = error_of(bench, case.call)
    told = str(error)
    assert isinstance(error, case.error), f"{type(error).__name__}: {told}"
    for text in case.texts:
        assert text in told, told
    assert told.endswith((".", "?")), told
    if case.status is not None:
        assert isinstance(error, nexus.NexusError)
        assert error.status == case.status
    del error
    check_unharmed(bench, before)


def check_wrong(bench: Workbench, wrong: Wrong, call: Call, parameter: str = "") -> None:
    """The call with the wrong value is refused, by the parameter's name."""
    texts = (parameter + wrong.texts[0], *wrong.texts[1:])
    check_refused(bench, Case(wrong.what, call, wrong.error, texts))


def check_unharmed(bench: Workbench, before: dict[str, int]) -> None:
    """There are no more objects than before, and those of the bench work."""
    check_nothing_left(bench, before)
    bench.check_works()
    check_nothing_left(bench, before)


def check_nothing_left(bench: Workbench, before: dict[str, int]) -> None:
    if bench.live() != before:
        gc.collect()  # what a traceback kept
    left = {what: count for what, count in bench.live().items() if count > before[what]}
    assert left == {}, f"before: {before}"
    assert bench.live()["commands"] == before["commands"]
