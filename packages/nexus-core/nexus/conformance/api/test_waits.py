# SPDX-License-Identifier: Apache-2.0
"""Waits: for a stream, for the device, with a timeout, and while other threads run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, SHORT, Workbench, values


class Held:
    """A stream whose work waits for an event."""

    def __init__(self, work: Workbench) -> None:
        self.work, self.device = work, work.device
        self.stream, self.go = work.device.create_stream(), work.device.create_event()
        self.done, self.number = work.device.create_event(), work.ints(1)
        self.stream.wait(self.go, 1)
        work.filling(self.number, 2).run(self.stream, blocking=False)
        self.stream.signal(self.done, 1)


WAITS: dict[str, Callable[[Held, float | None], object]] = {
    "stream": lambda held, timeout: held.stream.synchronize(timeout),
    "device": lambda held, timeout: held.device.synchronize(timeout),
    "event": lambda held, timeout: held.done.wait(1, timeout),
    "run": lambda held, timeout: held.work.filling(held.work.ints(), 3).run(
        held.stream, timeout=timeout
    ),
}


@pytest.mark.promise("wait-timeout")
@pytest.mark.parametrize("timeout", [0, SHORT])
@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_that_runs_out_changes_nothing(work: Workbench, wait: str, timeout: float) -> None:
    held = Held(work)
    for _ in range(2):
        with pytest.raises(TimeoutError) as error:
            WAITS[wait](held, timeout)
        assert isinstance(error.value, nexus.NexusError)
        assert error.value.status == nexus.status.NXS_Timeout
    held.go.signal(1)
    WAITS[wait](held, LONG)
    held.stream.synchronize(LONG)
    assert values(held.number) == {2}


@pytest.mark.promise("wait-timeout")
@pytest.mark.parametrize("wait", ["stream", "device", "event"])
def test_a_wait_for_work_that_runs_may_run_out_too(work: Workbench, wait: str) -> None:
    held = Held(work)
    held.go.signal(1)
    held.stream.synchronize(LONG)
    for _ in range(5):
        work.spinning().run(held.stream, blocking=False)
    done = held.device.create_event()
    held.stream.signal(done, 1)
    held.done = done
    with contextlib.suppress(TimeoutError):  # unless all had ended by then
        WAITS[wait](held, 0)
    WAITS[wait](held, LONG)
    assert held.stream.is_idle
    WAITS[wait](held, 0)


@pytest.mark.promise("wait-all")
def test_waiting_for_a_stream_waits_for_all_of_it(work: Workbench) -> None:
    stream = work.device.create_stream()
    hosts = [np.zeros(COUNT, np.int32) for _ in range(10)]
    for i, host in enumerate(hosts):
        work.spinning().run(stream, blocking=False)
        work.ints(i + 1).copy(host, stream=stream, blocking=False)
    stream.synchronize(LONG)
    assert [set(host.tolist()) for host in hosts] == [{i + 1} for i in range(10)]
    assert stream.is_idle


@pytest.mark.promise("wait-all")
def test_waiting_for_the_device_waits_for_all_streams_closed_ones_too(work: Workbench) -> None:
    hosts = [np.zeros(COUNT, np.int32) for _ in range(4)]
    kept = []
    for i, host in enumerate(hosts):
        stream = work.device.create_stream()
        work.spinning().run(stream, blocking=False)
        work.ints(i + 1).copy(host, stream=stream, blocking=False)
        if i % 2:
            stream.close()
        kept.append(stream)
    work.device.synchronize(LONG)
    assert [set(host.tolist()) for host in hosts] == [{i + 1} for i in range(4)]


@pytest.mark.promise("wait-all")
def test_a_stream_without_work_is_idle(work: Workbench) -> None:
    stream = work.device.create_stream()
    assert stream.is_idle
    stream.synchronize(0)
    work.device.synchronize(LONG)


@pytest.mark.promise("wait-gil")
@pytest.mark.parametrize("wait", WAITS)
def test_other_threads_run_while_one_waits(work: Workbench, wait: str) -> None:
    held = Held(work)
    releaser = threading.Timer(SHORT, held.go.signal, (1,))
    releaser.start()
    WAITS[wait](held, LONG)  # would never return if it held the GIL
    releaser.join()
    held.stream.synchronize(LONG)
