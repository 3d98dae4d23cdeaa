# SPDX-License-Identifier: Apache-2.0
"""One thread closes an object while a call of the backend with it is under way in another.

A backend never sees an id that was released, so the call ends as if nobody had closed.
"""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from faulty_device import (
    COUNT,
    KERNELS,
    LONG,
    REFUSED,
    Bench,
    faults,
    gate,
    live_objects,
    open_gate,
)

import nexus
from nexus.status import Status

Closable = nexus.Library | nexus.Schedule

# The object to close, by the backend's function that is running then.
MADE: dict[str, Callable[[Bench], Closable]] = {
    "GetKernel": lambda b: b.new_library(),
    "GetLibraryProperty": lambda b: b.new_library(),
    "CreateFillCommand": lambda b: b.filling(1),
    "GetScheduleProperty": lambda b: b.filling(1),
    "GetCommandProperty": lambda b: b.filling(1),
    "RunSchedule": lambda b: b.filling(1),
}


def use(bench: Bench, function: str, closable: Closable) -> object:
    """Calls the backend's function with the object; what came of it."""
    if isinstance(closable, nexus.Library):
        if function == "GetKernel":
            return closable.get_kernel("fill_f32").name
        return closable.get_property_keys()
    if function == "CreateFillCommand":
        return closable.create_fill_command(bench.buffer, 2.0).type
    if function == "GetCommandProperty":
        return closable.get_commands()[0].get_property_keys()
    if function == "RunSchedule":
        closable.run(bench.stream, blocking=False)
        return None
    return closable.get_property_keys()


def wait_until_paused(device: nexus.Device) -> None:
    """Until a call waits for the gate."""
    deadline = time.monotonic() + LONG
    while device.runtime.get_property_int("PausedCalls") == 0:
        assert time.monotonic() < deadline, "the backend was not called"
        time.sleep(0.001)


@pytest.mark.parametrize("function", MADE)
def test_a_call_ends_before_its_object_is_released(bench: Bench, function: str) -> None:
    expected = use(bench, function, MADE[function](bench))
    bench.stream.synchronize(LONG)
    closable = MADE[function](bench)
    with ThreadPoolExecutor(2) as threads, gate(), faults(f"{function}:1=pause"):
        using = threads.submit(use, bench, function, closable)
        wait_until_paused(bench.device)
        closing = threads.submit(closable.close)
        time.sleep(0.05)  # for a close that waits for nobody to come to its end
        open_gate()
        closing.result(LONG)
        assert using.result(LONG) == expected
    bench.stream.synchronize(LONG)
    with pytest.raises(nexus.NexusError, match="closed"):
        use(bench, function, closable)


def test_a_library_that_is_closed_in_a_call_is_released_after_it(bench: Bench) -> None:
    before = live_objects(bench.device)
    library = bench.new_library()
    with ThreadPoolExecutor(1) as threads, gate(), faults("GetKernel=pause"):
        using = threads.submit(library.get_kernel, "fill_f32")
        wait_until_paused(bench.device)
        library.close()  # waits for nobody
        open_gate()
        kernel = using.result(LONG)
    assert live_objects(bench.device) == before + 1  # the kernel
    del kernel, using
    assert live_objects(bench.device) == before


def test_a_property_that_is_read_while_its_object_is_closed_is_not_kept(
    bench: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "kernels"
    file.write_bytes(KERNELS)
    library = bench.device.load_library(file)
    with ThreadPoolExecutor(1) as threads, gate(), faults("GetLibraryProperty=pause"):
        reading = threads.submit(library.get_property_str, "Path")
        wait_until_paused(bench.device)
        library.close()
        open_gate()
        assert reading.result(LONG) == str(file)
    with pytest.raises(nexus.NexusError, match="closed"):
        library.get_property_str("Path")


# ---- Events ----

ASKED: dict[str, Callable[[nexus.Event], object]] = {
    "is_done": lambda event: event.is_done,
    "value": lambda event: event.value,
    "status": lambda event: event.get_property_str("Status"),
    "keys": lambda event: event.get_property_keys(),
    "time": lambda event: event.elapsed_ms(event),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=list(ASKED))
def test_an_event_that_is_closed_says_nothing_of_its_work(
    bench: Bench, ask: Callable[[nexus.Event], object]
) -> None:
    event = bench.stream.record()
    with ThreadPoolExecutor(3) as threads, gate(), faults("QueryStream:1=pause"):
        threads.submit(lambda: event.is_done)  # keeps the others waiting
        wait_until_paused(bench.device)
        asking = threads.submit(ask, event)
        time.sleep(0.05)
        closing = threads.submit(event.close)
        time.sleep(0.05)
        open_gate()
        closing.result(LONG)
        with pytest.raises(nexus.NexusError, match="closed") as raised:
            asking.result(LONG)
    assert raised.value.status == Status.NXS_InvalidEvent


# ---- Copies that do not block ----


def test_a_copy_ends_in_a_stream_that_is_closed_meanwhile(bench: Bench) -> None:
    host = np.zeros(COUNT, np.float32)
    buffer = bench.floats(3)
    with ThreadPoolExecutor(1) as threads, gate(), faults("CopyBuffer=pause"):
        copying = threads.submit(buffer.copy, host, stream=bench.stream, blocking=False)
        wait_until_paused(bench.device)
        bench.stream.close()
        open_gate()
        copying.result(LONG)
    assert host.tolist() == [3] * COUNT


def test_memory_stays_where_nobody_tells_whether_the_copy_runs(bench: Bench) -> None:
    host = np.zeros(COUNT, np.float32)
    memory = weakref.ref(host)
    with (
        ThreadPoolExecutor(1) as threads,
        gate(),
        faults("CopyBuffer=pause", "CreateStream=NXS_OutOfResources"),
    ):
        copying = threads.submit(bench.buffer.copy, host, stream=bench.stream, blocking=False)
        wait_until_paused(bench.device)
        bench.stream.close()
        open_gate()
        with pytest.raises(nexus.NexusError) as raised:
            copying.result(LONG)
    assert raised.value.status == REFUSED
    del host, copying, raised
    bench.device.create_stream().synchronize(LONG)
    gc.collect()
    assert memory() is not None
    bench.device.synchronize(LONG)
    assert memory() is None


def test_memory_stays_where_the_event_of_its_copy_was_closed(bench: Bench) -> None:
    host = np.zeros(COUNT, np.float32)
    memory = weakref.ref(host)
    before = bench.device.get_events()
    with gate(), faults("CopyBuffer=hold"):
        bench.buffer.copy(host, stream=bench.stream, blocking=False)
        for event in bench.device.get_events():
            if event not in before:
                event.close()
        del host
        bench.device.create_stream().synchronize(LONG)
        gc.collect()
        assert memory() is not None
    bench.device.synchronize(LONG)
    assert memory() is None
