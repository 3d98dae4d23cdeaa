# SPDX-License-Identifier: Apache-2.0
"""Scratch memory that can not be allocated, and commands that the backend refuses late."""

from __future__ import annotations

import pytest
from faulty_device import COUNT, LONG, Bench, faults, live_objects

import nexus
from nexus.status import Status

NO_MEMORY = Status.NXS_MemObjectAllocationFailure


def doubled(bench: Bench) -> tuple[nexus.Schedule, nexus.Buffer]:
    """A schedule that leaves 6 in the buffer, by way of scratch memory."""
    schedule = bench.device.create_schedule()
    between = schedule.create_buffer((COUNT,), "float32")
    bench.fill(schedule, 6, between)
    schedule.create_copy_command(bench.buffer, between)
    return schedule, between


@pytest.mark.parametrize("begin", ["run", "prepare"])
def test_memory_that_lacks_fails_the_run_and_leaves_all_usable(bench: Bench, begin: str) -> None:
    schedule, _ = doubled(bench)
    bench.check_works()
    before = live_objects(bench.device), bench.device.get_property_int("MemoryUsed")
    with faults("CreateBuffer=NXS_MemObjectAllocationFailure"):
        for _ in range(2):
            with pytest.raises(nexus.NexusError) as error:
                getattr(schedule, begin)()
            assert error.value.status == NO_MEMORY
            assert "of 256 bytes" in str(error.value)
            name = schedule.get_property_str("Name")
            assert f"for the scratch buffers of {name}" in str(error.value)
    after = live_objects(bench.device), bench.device.get_property_int("MemoryUsed")
    assert after == before
    bench.check_works()
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [6] * COUNT


def test_memory_that_lacks_after_a_change_leaves_the_commands(bench: Bench) -> None:
    schedule, _ = doubled(bench)
    schedule.run(timeout=LONG)
    more = schedule.create_buffer((COUNT * 100,), "float32")
    command = schedule.create_fill_command(more, 1)
    with faults("CreateBuffer=NXS_MemObjectAllocationFailure"), pytest.raises(nexus.NexusError):
        schedule.run(timeout=LONG)
    command.remove()
    bench.buffer.fill(0)
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [6] * COUNT


@pytest.mark.parametrize("function", ["CreateCopyCommand", "CreateCommand", "FinalizeCommand"])
def test_what_the_backend_refuses_fails_the_run(bench: Bench, function: str) -> None:
    schedule, _ = doubled(bench)
    with (
        faults(f"{function}=NXS_OutOfResources"),
        pytest.raises(nexus.NexusError, match="since it uses scratch memory") as error,
    ):
        schedule.run(timeout=LONG)
    assert error.value.status == Status.NXS_OutOfResources
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [6] * COUNT
