# SPDX-License-Identifier: Apache-2.0
"""Refused calls raise an error with a reason and change nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, Workbench, refused, values


def listing(work: Workbench) -> list[int]:
    """Returns the number of objects of each kind on the device."""
    kinds = ("buffers", "libraries", "streams", "events", "schedules")
    return [work.live(kind) for kind in kinds]


REFUSED: dict[str, Callable[[Workbench], object]] = {
    "a library of garbage": lambda work: work.device.load_library(b"\x7fgarbage" * 100),
    "an empty library": lambda work: work.device.load_library(b""),
    "a missing file": lambda work: work.device.load_library("/no/such/folder/kernels.bin"),
    "an unknown device": lambda work: work.device.runtime.get_device(10_000),
    "too large a buffer": lambda work: work.device.create_buffer(2**60),
    "a priority": lambda work: work.device.create_stream(priority=2**31 - 1),
}


@pytest.mark.promise("failure-at-once", "failure-cause", "failure-no-trace")
@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused_says_why_and_leaves_nothing(work: Workbench, call: str) -> None:
    if call == "a priority" and "StreamPriority" in capability_names(work.device):
        call = "a missing file"
    before = listing(work)
    with pytest.raises((nexus.NexusError, ValueError, MemoryError)) as error:
        REFUSED[call](work)
    assert len(str(error.value).split()) >= 4
    if isinstance(error.value, nexus.NexusError):
        assert error.value.status in list(nexus.status.Status)
        assert error.value.status != nexus.status.NXS_Success
    del error
    assert listing(work) == before
    assert values(work.ints(3)) == {3}


def capability_names(device: nexus.Device) -> set[str]:
    """Returns the bits that the backend claims."""
    bits = device.runtime.get_property_int("Capabilities")
    return {bit.name for bit in nexus.capability.Capability if bits & bit}


@pytest.mark.promise("failure-at-once")
def test_a_command_that_is_refused_is_not_added(work: Workbench) -> None:
    schedule, number = work.filling(work.ints(), 1), work.ints()
    kernel = work.kernels["fill_i32"]
    additions: list[Callable[[], nexus.Command]] = [
        lambda: schedule.create_command(kernel, (number, np.int32(1)), 2**40, 1),
        lambda: schedule.create_copy_command(number, work.ints(0, 3)),
        lambda: schedule.create_fill_command(number, 2**31),
        lambda: schedule.create_fill_command(number, 1.5),
    ]
    for add in additions:
        with pytest.raises((ValueError, TypeError, nexus.NexusError)):
            add()
        assert len(schedule.get_commands()) == 1
    schedule.run(timeout=LONG)


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.promise("failure-at-once")
def test_a_command_that_lacks_an_argument_is_not_added(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    with pytest.raises((TypeError, nexus.NexusError)):
        schedule.create_command(work.kernels["fill_i32"], (work.ints(),), 1, 1)
    assert len(schedule.get_commands()) == 0


@pytest.mark.promise("failure-cause")
def test_a_kernel_that_is_not_there_is_refused_by_name(work: Workbench) -> None:
    library = work.library("elements")
    error = refused(lambda: library.get_kernel("fill_i23"))
    assert error.status == nexus.status.NXS_InvalidKernelName
    assert "fill_i23" in str(error)
    for name in ("", "fill_i32\0", "fill_i32 ", "f" * 10_000):
        with pytest.raises((nexus.NexusError, ValueError)):
            library.get_kernel(name)
    assert library.get_kernel("fill_i32").name == "fill_i32"


def test_objects_of_another_device_are_refused(work: Workbench, neighbour: nexus.Device) -> None:
    theirs = neighbour.create_buffer(np.zeros(4, np.int32))
    command = work.device.create_schedule().create_command(work.kernels["fill_i32"])
    with pytest.raises((nexus.NexusError, ValueError, TypeError), match="device"):
        command.set_buffer(0, theirs)
    with pytest.raises((nexus.NexusError, ValueError, TypeError), match="device"):
        work.filling(work.ints(), 1).run(neighbour.create_stream())


def test_priorities_are_a_capability(work: Workbench, capabilities: frozenset[str]) -> None:
    assert work.device.create_stream(priority=0).is_idle
    if "StreamPriority" in capabilities:
        assert work.device.create_stream(priority=-1).is_idle
    else:
        with pytest.raises(ValueError, match="priority"):
            work.device.create_stream(priority=-1)


def test_timing_is_a_capability(work: Workbench, capabilities: frozenset[str]) -> None:
    if "Timing" not in capabilities:
        error = refused(lambda: work.device.create_event(timing=True))
        assert error.status == nexus.status.NXS_NotSupported
        error = refused(lambda: work.spinning().run(timing=True))
        assert error.status == nexus.status.NXS_NotSupported
