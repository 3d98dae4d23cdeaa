# SPDX-License-Identifier: Apache-2.0
"""Shared events of a GPU: one process signals, others wait."""

from __future__ import annotations

import copy
import ctypes
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import NamedTuple

import other_process
import pytest
import simulated
from their_memory import Write, refusal

import nexus

SPAWN = multiprocessing.get_context("spawn")
SIGNAL = nexus.event_type.Signal
LONG = 60.0


class Signaller(NamedTuple):
    """A process with a shareable event, which it signals on request."""

    event: nexus.Event
    pipe: Connection
    process: multiprocessing.process.BaseProcess

    def signal(self) -> None:
        """Requests a signal, and waits until it was submitted."""
        self.pipe.send("signal")
        assert self.pipe.recv() == "signalled"

    def end(self, how: str = "end") -> None:
        """Ends the process, which may close its event first."""
        if self.process.is_alive():
            self.pipe.send(how)
            self.process.join(LONG)


@pytest.fixture
def signaller(cuda: simulated.Driver) -> Iterator[Signaller]:
    """Starts such a process."""
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=other_process.signal, args=(there,))
    process.start()
    made = Signaller(pickle.loads(here.recv_bytes()), here, process)
    yield made
    made.end()


@pytest.fixture
def shareable(gpu: nexus.Device) -> nexus.Event:
    """Returns a shareable event of this process."""
    return gpu.create_event(SIGNAL, shareable=True)


def test_the_host_waits_for_another_process(signaller: Signaller) -> None:
    before = signaller.event.is_done, signaller.event.value
    with pytest.raises(TimeoutError):
        signaller.event.wait(timeout=0.05)
    signaller.signal()
    signaller.event.wait(timeout=LONG)
    after = signaller.event.is_done, signaller.event.value
    assert (before, after) == ((False, 0), (True, 1))


def test_a_stream_waits_for_another_process(
    cuda: simulated.Driver, gpu: nexus.Device, shareable: nexus.Event, write_slowly: Write
) -> None:
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=other_process.wait_in_stream, args=(there,))
    process.start()
    with gpu.create_stream() as stream:
        buffer = gpu.create_buffer((16,))
        write_slowly(buffer.native_handle, 1.0, ctypes.c_void_p(stream.native_handle))
        stream.signal(shareable)
        here.send_bytes(pickle.dumps(shareable))
        assert here.recv() == "running"
        cuda.release()
        stream.synchronize(LONG)
    assert here.recv() == "done"
    process.join(LONG)
    assert process.exitcode == 0


def test_a_stream_does_not_wait_for_what_was_never_signalled(
    gpu: nexus.Device, signaller: Signaller
) -> None:
    with gpu.create_stream() as stream:
        with pytest.raises(nexus.NexusError, match="has not signalled it yet"):
            stream.wait(signaller.event)
        signaller.signal()
        stream.wait(signaller.event)
        stream.synchronize(LONG)


def test_an_event_of_another_process_is_not_signalled_here(
    gpu: nexus.Device, signaller: Signaller
) -> None:
    for signal in (signaller.event.signal, lambda: gpu.default_stream.signal(signaller.event)):
        with pytest.raises(nexus.NexusError, match="from another process, which alone signals it"):
            signal()


@pytest.mark.parametrize("how", ["end", "abort"])
def test_a_process_that_ended_signals_nothing(signaller: Signaller, how: str) -> None:
    signaller.end(how)
    for ask in (lambda: signaller.event.wait(timeout=LONG), lambda: signaller.event.is_done):
        with pytest.raises(nexus.NexusError, match="released the event, has ended"):
            ask()


def test_what_was_done_before_the_end_stays_done(signaller: Signaller) -> None:
    signaller.signal()
    signaller.event.wait(timeout=LONG)
    signaller.end()
    signaller.event.wait(timeout=LONG)


def test_the_same_process_gets_its_own_event(gpu: nexus.Device, shareable: nexus.Event) -> None:
    again = pickle.loads(pickle.dumps(shareable))
    assert not again.is_done
    with gpu.create_stream() as stream:
        stream.signal(shareable)
        again.wait(timeout=LONG)
        shareable.wait(timeout=LONG)


def test_a_shareable_event_is_signalled_in_streams_alone(
    shareable: nexus.Event, other_gpu: nexus.Device
) -> None:
    with pytest.raises(nexus.NexusError, match="signals from streams only"):
        shareable.signal()
    with other_gpu.create_stream() as stream, pytest.raises(nexus.NexusError, match="cuda:0"):
        stream.signal(shareable)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda gpu: gpu.create_event(shareable=True), "event_type is Shared"),
        (lambda gpu: gpu.create_event(SIGNAL, timing=True, shareable=True), "timing"),
    ],
)
def test_what_can_not_be_shared_is_told(
    gpu: nexus.Device, make: Callable[[nexus.Device], nexus.Event], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        make(gpu)


def test_only_shareable_events_travel(gpu: nexus.Device, signaller: Signaller) -> None:
    for event in (gpu.create_event(SIGNAL), signaller.event):
        with pytest.raises(TypeError, match="shareable=True"):
            pickle.dumps(event)
    with pytest.raises(TypeError, match="can't be pickled or copied"):
        copy.copy(gpu.create_event(SIGNAL, shareable=True))


@pytest.mark.parametrize("function", ["cuEventCreate", "cuIpcGetEventHandle"])
def test_a_refusal_of_the_driver_is_told(
    cuda: simulated.Driver, gpu: nexus.Device, function: str
) -> None:
    cuda.fail(function, 1, 999)
    error = refusal(lambda: pickle.dumps(gpu.create_event(SIGNAL, shareable=True)))
    assert "CUDA_ERROR_UNKNOWN (999)" in str(error)
    assert cuda.clear_failures() == 0
    assert pickle.dumps(gpu.create_event(SIGNAL, shareable=True))


def test_a_refused_opening_is_told(cuda: simulated.Driver, signaller: Signaller) -> None:
    signaller.pipe.send("export")
    pickled = signaller.pipe.recv_bytes()
    cuda.fail("cuIpcOpenEventHandle", 1, 999)
    assert "CUDA_ERROR_UNKNOWN" in str(refusal(lambda: pickle.loads(pickled)))
    assert cuda.clear_failures() == 0
    assert not pickle.loads(pickled).is_done


def test_other_backends_share_no_events() -> None:
    with pytest.raises(nexus.NexusError, match="does not share events between processes"):
        nexus.get_device("cpu").create_event(SIGNAL, shareable=True)
