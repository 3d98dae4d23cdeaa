# SPDX-License-Identifier: Apache-2.0
"""Objects of one backend, given to those of another, in every function that takes two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from workbench import COUNT, GROUP, LONG, Workbench, check_unharmed, error_of

import nexus
from nexus import status

Call = Callable[[Workbench, Workbench], Any]


@dataclass(frozen=True)
class Foreign:
    """A call with an object of the other bench, and the parameter that it is given for."""

    call: Call
    parameter: str


def recorded(bench: Workbench) -> nexus.Event:
    """An event that happened in the bench's stream, with its time."""
    event = bench.stream.record()
    bench.stream.synchronize(LONG)
    return event


CALLS = {
    "set_buffer": Foreign(lambda b, o: b.command.set_buffer(0, o.data), "buffer"),
    "set_arg": Foreign(lambda b, o: b.command.set_arg(0, o.data), "buffer"),
    "set_buffer of an unfinalized command": Foreign(
        lambda b, o: b.unfinalized().set_buffer(0, o.data), "buffer"),
    "create_command, its kernel": Foreign(
        lambda b, o: b.schedule.create_command(o.kernel), "kernel"),
    "create_command, its arguments": Foreign(
        lambda b, o: b.schedule.create_command(b.kernel, (o.data, 2.0, b.out), GROUP, COUNT),
        "buffer"),
    "create_copy_command, both buffers": Foreign(
        lambda b, o: b.schedule.create_copy_command(o.out, o.data), "destination"),
    "set_buffer of a fill": Foreign(
        lambda b, o: b.device.create_schedule().create_fill_command(b.out, 1.0).set_buffer(
            0, o.out), "buffer"),
    "create_fill_command": Foreign(
        lambda b, o: b.schedule.create_fill_command(o.out, 1.0), "buffer"),
    "create_schedule_command": Foreign(
        lambda b, o: b.schedule.create_schedule_command(o.schedule), "nested"),
    "create_fill_command, after": Foreign(
        lambda b, o: b.schedule.create_fill_command(b.out, 1.0, after=[o.command]), "after[0]"),
    "a call": Foreign(lambda b, o: b.kernel(o.data, 2.0, b.out, grid=COUNT), "buffer"),
    "a call, its stream": Foreign(
        lambda b, o: b.kernel(b.data, 2.0, b.out, grid=COUNT, stream=o.stream), "stream"),
    "run": Foreign(lambda b, o: b.schedule.run(o.stream, timeout=LONG), "stream"),
    "prepare": Foreign(lambda b, o: b.schedule.prepare(o.stream), "stream"),
    "copy": Foreign(
        lambda b, o: b.data.copy(b.numbers.copy(), stream=o.stream), "stream"),
    "copy without waiting": Foreign(
        lambda b, o: b.data.copy(b.numbers.copy(), stream=o.stream, blocking=False),
        "stream"),
    "copy_from an array": Foreign(
        lambda b, o: b.out.copy_from(b.numbers, stream=o.stream), "stream"),
    "copy_from a buffer": Foreign(
        lambda b, o: b.out.copy_from(b.data, stream=o.stream), "stream"),
    "fill": Foreign(lambda b, o: b.out.fill(1.0, stream=o.stream), "stream"),
    "elapsed_ms": Foreign(lambda b, o: recorded(b).elapsed_ms(recorded(o)), "start"),
}  # fmt: skip


@pytest.fixture(params=["cpu given reference", "reference given cpu"])
def benches(
    request: pytest.FixtureRequest, cpu_bench: Workbench, reference_bench: Workbench
) -> tuple[Workbench, Workbench]:
    """A bench, and one of another backend."""
    if request.param == "cpu given reference":
        return cpu_bench, reference_bench
    return reference_bench, cpu_bench


@pytest.mark.smoke
@pytest.mark.parametrize("what", CALLS)
def test_an_object_of_another_backend_is_refused(
    benches: tuple[Workbench, Workbench], what: str
) -> None:
    bench, other = benches
    case = CALLS[what]
    before = bench.live(), other.live()
    error = error_of(bench, lambda b: case.call(b, other))
    assert isinstance(error, nexus.NexusError), repr(error)
    told = str(error)
    assert case.parameter in told
    assert bench.device.selector in told
    assert other.device.selector in told
    assert told.endswith(".")
    assert error.status == status.NXS_InvalidDevice
    del error
    check_unharmed(bench, before[0])
    check_unharmed(other, before[1])
