# SPDX-License-Identifier: Apache-2.0
"""Copies between devices, of which either fails: at once or later, shared memory or not."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from faulty_device import BACKENDS, LONG, LOST, REFUSED, Bench, faults, gate, live_objects

import nexus

MIB = 1 << 20
CHUNK = 4 * MIB
IDLE = 4  # streams that a device keeps for later copies, at most
SIZES = [1, 4097, CHUNK - 1, CHUNK, 5 * CHUNK + 3]
NO_MAPPING = "MapBuffer=NXS_MapFailure"


class Copy:
    """A copy from one device to another, and what became of it."""

    def __init__(self, source: nexus.Device, target: nexus.Device, size: int = 100) -> None:
        self.host: npt.NDArray[np.uint8] = np.resize(np.arange(1, 252, dtype=np.uint8), size)
        self.source = source.create_buffer(self.host)
        self.target = target.create_buffer(np.zeros(size, np.uint8))
        self.devices = (source, target)

    def run(self, stream: nexus.Stream | None = None, *, blocking: bool = True) -> None:
        """Copies."""
        self.target.copy_from(self.source, stream=stream, blocking=blocking)

    def arrived(self) -> bool:
        """Returns whether the target equals the source."""
        return bool((self.target.numpy() == self.host).all())


@contextlib.contextmanager
def shared(*rules: str, of: Iterable[str] = ("faulty",), also: str = "") -> Iterator[None]:
    """Within it the devices see each other's memory; rules are for the calls of these backends."""
    with contextlib.ExitStack() as stack:
        for backend in BACKENDS:
            mine = rules if backend in of else ()
            stack.enter_context(faults(*mine, *filter(None, [also]), backend=backend))
        yield


def staged(*rules: str, of: Iterable[str] = ("faulty",)) -> contextlib.AbstractContextManager[None]:
    """Within it neither sees the other's memory."""
    return shared(*rules, of=of, also=NO_MAPPING)


WAYS = {"shared": shared, "staged": staged}


@pytest.fixture(params=["from", "to"])
def ends(
    request: pytest.FixtureRequest, device: nexus.Device, frail_device: nexus.Device
) -> Iterator[tuple[nexus.Device, nexus.Device]]:
    """The faulty device is the source, or the target."""
    ends = (device, frail_device)
    yield ends if request.param == "from" else (ends[1], ends[0])
    for each in ends:  # what a test leaves of failures is told here
        with contextlib.suppress(nexus.NexusError):
            each.synchronize(LONG)


def told(wait: Callable[[], object]) -> nexus.NexusError:
    """The error that wait raises."""
    with pytest.raises(nexus.NexusError) as raised:
        wait()
    return raised.value


def failures_of(*calls: Callable[[], object]) -> list[nexus.NexusError]:
    """The errors that the calls raise."""
    failures = []
    for call in calls:
        try:
            call()
        except nexus.NexusError as error:  # noqa: PERF203
            failures.append(error)
    return failures


# ---- What does not fail ----


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_bytes_go_through_chunks(
    ends: tuple[nexus.Device, nexus.Device], size: int, blocking: bool
) -> None:
    copy = Copy(*ends, size)
    with staged():
        copy.run(blocking=blocking)
        for each in ends:
            each.default_stream.synchronize(LONG)
    assert copy.arrived()


@pytest.mark.parametrize("fault", ["CreateBuffer=NXS_OutOfResources", "MapBuffer:1=NXS_MapFailure"])
def test_memory_that_a_device_does_not_give_is_not_needed(
    ends: tuple[nexus.Device, nexus.Device], fault: str
) -> None:
    copy = Copy(*ends, 3 * CHUNK + 1)
    with staged(fault):
        copy.run()
    assert copy.arrived()


def test_slices_of_many_chunks_leave_the_rest_alone(
    ends: tuple[nexus.Device, nexus.Device],
) -> None:
    copy = Copy(*ends, 3 * CHUNK)
    with staged():
        copy.target[7:-13].copy_from(copy.source[20:])
    wanted = np.zeros(3 * CHUNK, np.uint8)
    wanted[7:-13] = copy.host[20:]
    assert (copy.target.numpy() == wanted).all()


def test_many_copies_share_the_chunks_that_there_are(
    ends: tuple[nexus.Device, nexus.Device],
) -> None:
    copies = [Copy(*ends, 4 * CHUNK + i) for i in range(8)]
    with staged("CopyBuffer=slow:1", "WriteBuffer=slow:1"):
        for copy in copies:
            copy.run(copy.devices[0].create_stream(), blocking=False)
        assert all(copy.arrived() for copy in copies)


def test_chunks_are_read_while_one_is_written(ends: tuple[nexus.Device, nexus.Device]) -> None:
    copy = Copy(*ends, 8 * CHUNK)
    names = [each.selector.split(":")[0] for each in ends]
    stream = ends[0].create_stream()
    with (
        gate(),
        faults("CopyBuffer:4=NXS_OutOfResources", NO_MAPPING, backend=names[0]),
        faults("WriteBuffer=hold", NO_MAPPING, backend=names[1]),
    ):
        copy.run(stream, blocking=False)
        # The fourth read, which nothing but reading on brings: no write is done.
        assert told(lambda: stream.synchronize(LONG)).status == REFUSED
    stream.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_source_that_works_holds_up_no_thread(
    ends: tuple[nexus.Device, nexus.Device], way: str
) -> None:
    held, other = Copy(*ends, 2 * CHUNK), Copy(*ends, 2 * CHUNK)
    streams = [ends[0].create_stream() for _ in range(2)]
    with gate():
        with WAYS[way]("CopyBuffer=hold", "WriteBuffer=hold", of=BACKENDS):
            held.run(streams[0], blocking=False)
            time.sleep(0.5)  # for the thread that moves copies to submit the first step
        other.run(streams[1])
        assert other.arrived()
        assert not streams[0].is_idle
    streams[0].synchronize(LONG)
    assert held.arrived()


# ---- What fails ----

NOW = ["CreateStream", "EnqueueHostCallback", "CopyBuffer", "WriteBuffer", "CreateEvent"]
LATE = ["CopyBuffer", "WriteBuffer", "MapBuffer"]
FAULTS = [f"{name}=NXS_OutOfResources" for name in NOW]
FAULTS += [f"{name}=late:NXS_DeviceLost" for name in LATE]
FAULTS += ["CopyBuffer:3=NXS_OutOfResources", "WriteBuffer:3=late:NXS_DeviceLost"]
FAULTS += ["QueryStream=NXS_DeviceLost", "SignalEvent=NXS_OutOfResources"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("side", ["no stream", "source", "target"])
def test_a_copy_fails_with_its_cause_or_arrives(
    ends: tuple[nexus.Device, nexus.Device], side: str, fault: str, way: str
) -> None:
    copy = Copy(*ends, 2 * CHUNK + 1)
    device = {"no stream": None, "source": ends[0], "target": ends[1]}[side]
    stream = device.create_stream() if device else None
    streams = [stream] if stream else [each.default_stream for each in ends]
    with WAYS[way](fault):
        failures = failures_of(lambda: copy.run(stream, blocking=False))
        if not failures:
            failures = failures_of(*(partial(each.synchronize, LONG) for each in streams))
    assert len(failures) in (0, 1, len(streams))
    for error in failures:
        assert error.status in (LOST, REFUSED)
        assert error.backend == "faulty"
        assert "fails on demand" in str(error)
    if stream:
        stream.close()
    if not failures:
        assert copy.arrived()
    for each in ends:
        with contextlib.suppress(nexus.NexusError):
            each.synchronize(LONG)
    copy.target.fill(0)
    copy.run()
    assert copy.arrived()


@pytest.mark.parametrize("way", WAYS)
def test_a_late_failure_is_told_by_both_sides_with_the_place(
    ends: tuple[nexus.Device, nexus.Device], way: str
) -> None:
    copy = Copy(*ends)
    rules = ("CopyBuffer=late:NXS_DeviceLost", "WriteBuffer=late:NXS_DeviceLost")
    with WAYS[way](*rules, of=BACKENDS):
        copy.run(blocking=False)
        for each in ends:
            error = told(partial(each.default_stream.synchronize, LONG))
            assert error.status == LOST
            assert str(error).count("fails on demand") == 1
            assert "copy between devices is not known complete" in str(error)
    copy.run()
    assert copy.arrived()


def test_a_blocking_copy_tells_for_both_sides(ends: tuple[nexus.Device, nexus.Device]) -> None:
    copy = Copy(*ends)
    with staged("CopyBuffer=late:NXS_DeviceLost", "WriteBuffer=late:NXS_DeviceLost"):
        assert told(copy.run).status == LOST
    for each in ends:
        each.synchronize(LONG)
    copy.run()
    assert copy.arrived()


def test_earlier_work_that_fails_fails_the_copy_and_the_other_side(
    bench: Bench, frail_device: nexus.Device
) -> None:
    copy = Copy(bench.device, frail_device)
    with gate(), faults("FillBuffer=hold", "RunSchedule=late:NXS_DeviceLost"):
        bench.floats().fill(1, blocking=False)
        bench.filling(1).run(blocking=False)
        copy.run(blocking=False)
    for each in copy.devices[::-1]:
        error = told(partial(each.default_stream.synchronize, LONG))
        assert error.status == LOST
        assert "the work of nxsRunSchedule fails on demand" in str(error)
    copy.run()
    assert copy.arrived()


def test_a_command_that_fails_is_named(bench: Bench, frail_device: nexus.Device) -> None:
    copy = Copy(frail_device, bench.device)
    schedule = bench.device.create_schedule()
    bench.fill(schedule, 1)
    schedule.create_copy_command(copy.target, copy.source)
    with faults("WriteBuffer=late:NXS_DeviceLost"):
        error = told(lambda: schedule.run(timeout=LONG))
    name = schedule.get_property_str("Name").capitalize()
    assert f"{name}, run 1: command 1 (copy) is not known complete" in str(error)
    schedule.run(timeout=LONG)
    assert copy.arrived()


@pytest.mark.parametrize("way", WAYS)
def test_copies_leave_nothing_behind(ends: tuple[nexus.Device, nexus.Device], way: str) -> None:
    def copies(count: int) -> None:
        for i in range(count):
            copy = Copy(*ends, 2 * CHUNK)
            rule = ["", "CopyBuffer=late:NXS_DeviceLost", "WriteBuffer=NXS_OutOfResources"][i % 3]
            with WAYS[way](*filter(None, [rule])), contextlib.suppress(nexus.NexusError):
                copy.run(copy.devices[i % 2].create_stream())

    def settled(device: nexus.Device) -> int:
        count = -1
        while count != (count := live_objects(device)):
            time.sleep(0.2)
        return count

    copies(6)
    before = [settled(each) for each in ends]
    copies(30)
    deadline = time.monotonic() + LONG
    while any(live_objects(e) > b + IDLE for e, b in zip(ends, before, strict=True)):
        assert time.monotonic() < deadline, ([live_objects(e) for e in ends], before)
        time.sleep(0.05)
