# SPDX-License-Identifier: Apache-2.0
"""One thread closes an object while a call of the backend with it is under way in another.

A backend never sees an id that was released, so the call ends as if nobody had closed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from faulty_device import LONG, Bench, faults, gate, live_objects, open_gate

import nexus

Closable = nexus.Library | nexus.Schedule

# What is closed, by the backend's function that is under way then.
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
