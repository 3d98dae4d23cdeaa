# SPDX-License-Identifier: Apache-2.0
"""Memory and events that two processes share on one GPU."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

import numpy as np

import nexus
from gpu_cases import Bench, case
from part_tools import SOON, VALUES, recorded

SPAWN = multiprocessing.get_context("spawn")
CYCLES = 500_000_000  # about a quarter of a second
START = 90.0  # seconds that a process may take to begin or to end


def _begun(target: Callable[..., None], *args: Any) -> SpawnProcess:
    child = SPAWN.Process(target=target, args=args)
    child.start()
    return child


def _ends_well(child: SpawnProcess) -> None:
    child.join(START)
    hung = child.exitcode is None
    if hung:
        child.kill()
        child.join()
    assert not hung, "the other process did not end"
    assert child.exitcode == 0, f"the other process ended with {child.exitcode}"


def _told(by: Connection, seconds: float) -> Any:
    assert by.poll(seconds), f"the other process said nothing in {seconds:.0f} s"
    return by.recv()


def _fill(buffer: nexus.Buffer) -> None:
    buffer.fill(7)


@case(endangers=True, limit=240)
def another_process_shares_a_buffer(bench: Bench) -> str:
    host = np.arange(VALUES, dtype=np.int32)
    buffer = bench.device.create_buffer(host, shareable=True)
    _ends_well(_begun(_fill, buffer))
    assert np.all(buffer.numpy() == 7), "the other process changed other memory"
    return "filled by another process"


def _wait(buffer: nexus.Buffer, event: nexus.Event, parent: Connection) -> None:
    """Sends whether the event had happened before a stream waited for it, and what it saw after."""
    stream = event.device.create_stream()
    parent.send("ready")
    parent.recv()  # until the signal is submitted
    before, seen = event.is_done, np.zeros(VALUES, np.int32)
    stream.wait(event)
    buffer.copy(seen, stream=stream)
    event.wait(timeout=SOON)
    parent.send((before, int(seen[0]), event.is_done))


@case(endangers=True, limit=240)
def another_process_waits_for_an_event(bench: Bench) -> str:
    """The other process's stream waits for a kernel of ours that still runs."""
    device = bench.device
    buffer = device.create_buffer(np.zeros(VALUES, np.int32), shareable=True)
    event = device.create_event(nexus.event_type.Signal, shareable=True)
    slow = recorded(device, "take_time", (buffer, np.int64(CYCLES)))
    stream = device.create_stream()
    here, there = SPAWN.Pipe()
    child = _begun(_wait, buffer, event, there)
    assert _told(here, START) == "ready"
    slow.run(stream, blocking=False)
    stream.signal(event)
    here.send("submitted")
    before, seen, after = _told(here, SOON)
    _ends_well(child)
    assert seen == 1, "the other process's stream did not wait for the kernel"
    assert after, "the event has happened, and the other process does not see it"
    return f"asked {'after' if before else 'during'} a kernel of a quarter of a second"


def _wait_in_vain(event: nexus.Event, parent: Connection) -> None:
    parent.send("ready")
    try:
        event.wait(timeout=SOON)
    except nexus.NexusError as error:
        parent.send(str(error))


@case(endangers=True, limit=240)
def another_process_hears_that_an_event_is_gone(bench: Bench) -> str:
    event = bench.device.create_event(nexus.event_type.Signal, shareable=True)
    here, there = SPAWN.Pipe()
    child = _begun(_wait_in_vain, event, there)
    assert _told(here, START) == "ready"
    event.close()
    text = str(_told(here, SOON))
    _ends_well(child)
    assert "released the event, has ended" in text, text
    return text
