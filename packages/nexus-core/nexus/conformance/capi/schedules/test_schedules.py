# SPDX-License-Identifier: Apache-2.0
"""Schedules: the order of commands, what a run keeps, and runs that do not overlap."""

from __future__ import annotations

import struct

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import (
    Bench,
    Work,
    buffer_argument,
    launch,
    part,
    pattern,
    scalar_argument,
)

_NON_BLOCKING = N()["NXS_ExecutionSettings_NonBlocking"]


def add(bench: Bench, schedule: int, a: int, b: int, out: int, count: int = 16) -> int:
    """Appends out = a + b."""
    arguments = [buffer_argument(each, 4 * count) for each in (a, b, out)]
    return bench.command(schedule, "add_i32", arguments, count)


@pytest.mark.parametrize("settings", [0, _NON_BLOCKING])
def test_a_run_does_its_commands_in_their_order(bench: Bench, settings: int) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    a, b = bench.buffer(bytes(64)), bench.buffer(bytes(64))
    bench.fill_command(schedule, a, 3, 16)  # a = 3
    add(bench, schedule, a, a, b)  # b = 6
    bench.create("CreateCopyCommand", schedule, part(a, 0, 32), part(b, 32, 32))
    # a = 6 x 8, 3 x 8
    add(bench, schedule, a, b, b)  # b = 12 x 8, 9 x 8
    bench.create("CreateFillCommand", schedule, part(a, 0, 4), pattern(b"\1\0\0\0"), 4)
    bench.finish(stream, bench.submit(schedule, stream, settings))
    assert bench.integers(b, 16) == [12] * 8 + [9] * 8
    assert bench.integers(a, 16) == [1] + [6] * 7 + [3] * 8


def test_a_schedule_runs_many_times(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    counter, one = bench.buffer(bytes(64)), bench.buffer(struct.pack("<i", 1) * 16)
    add(bench, schedule, counter, one, counter)
    for _ in range(100):
        bench.submit(schedule, stream)
    assert bench.integers(counter, 16, stream) == [100] * 16


def test_runs_in_two_streams_do_not_overlap(bench: Bench) -> None:
    """Each run reads what it writes: two at the same time would lose one."""
    streams, schedule = [bench.stream(), bench.stream()], bench.schedule()
    counter, one = bench.buffer(bytes(4 * 4096)), bench.buffer(struct.pack("<i", 1) * 4096)
    scratch = bench.buffer(4 * 4096)
    add(bench, schedule, counter, one, scratch, 4096)
    bench.create("CreateCopyCommand", schedule, part(counter, 0, 16384), part(scratch, 0, 16384))
    for number in range(100):
        bench.submit(schedule, streams[number % 2])
    for stream in streams:
        bench.finish(stream)
    assert bench.integers(counter, 4096) == [100] * 4096


def test_a_run_waits_for_the_run_before_it_in_another_stream(bench: Bench) -> None:
    other = bench.stream()

    def run_again(work: Work) -> int:
        return bench.state(other, bench.submit(work.schedule, other))

    assert bench.while_running(run_again) == N()["NXS_CompletionState_Running"]
    bench.finish(other)


def test_a_run_takes_the_arguments_of_its_submission(bench: Bench) -> None:
    """Runs wait behind long work in their stream, and their arguments change meanwhile."""
    native, schedule = bench.native, bench.schedule()
    out = [bench.buffer(bytes(64)) for _ in range(5)]
    command = bench.fill_command(schedule, out[0], 0, 16)

    def submit(work: Work) -> None:
        for number, buffer in enumerate(out):
            native.get("SetCommandArgument", command, 0, buffer_argument(buffer, 64))
            native.get("SetCommandArgument", command, 1, scalar_argument("i", number + 1))
            bench.submit(schedule, work.stream)
        native.get("SetCommandArgument", command, 1, scalar_argument("i", 99))

    bench.while_running(submit)
    for number, buffer in enumerate(out):
        assert bench.integers(buffer, 16) == [number + 1] * 16


def test_an_argument_counts_for_all_later_runs(bench: Bench) -> None:
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(64))
    command = bench.fill_command(schedule, out, 1, 16)
    bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", 5))
    for _ in range(2):
        bench.fill(stream, out, 64, b"\0")
        bench.submit(schedule, stream)
        assert bench.integers(out, 16, stream) == [5] * 16


def test_a_run_uses_a_part_of_a_buffer(bench: Bench) -> None:
    offset = bench.property("Device", bench.device, "BufferOffsetAlignment") or 4
    offset = -(-4 // offset) * offset if offset < 4 else offset
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(2 * offset + 16))
    arguments = [buffer_argument(out, 16, offset), scalar_argument("i", 7)]
    bench.command(schedule, "fill_i32", arguments, 4)
    bench.finish(stream, bench.submit(schedule, stream))
    wanted = bytes(offset) + struct.pack("<4i", 7, 7, 7, 7) + bytes(offset)
    assert bench.read(out, 2 * offset + 16) == wanted


def test_an_empty_schedule_runs(bench: Bench) -> None:
    stream = bench.stream()
    bench.finish(stream, bench.submit(bench.schedule(), stream))


def test_a_run_with_a_command_that_is_not_finalized_is_refused(bench: Bench) -> None:
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(64))
    bench.fill_command(schedule, out, 5, 16)
    bench.raw_command(schedule)
    bench.native.refuse("NXS_InvalidCommand", "RunSchedule", schedule, stream, 0)
    assert bench.integers(out, 16) == [0] * 16
    assert bench.property("Stream", stream, "LastTicket") == 0


def test_prepare_refuses_a_command_that_is_not_finalized(bench: Bench) -> None:
    calls.need(bench, "PrepareSchedule")
    schedule = bench.schedule()
    bench.raw_command(schedule)
    bench.native.refuse("NXS_InvalidCommand", "PrepareSchedule", schedule, bench.stream())


def test_prepare_runs_nothing(bench: Bench) -> None:
    calls.need(bench, "PrepareSchedule")
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(64))
    bench.fill_command(schedule, out, 5, 16)
    for _ in range(2):
        bench.native.get("PrepareSchedule", schedule, stream)
    assert bench.property("Stream", stream, "LastTicket") == 0
    assert bench.integers(out, 16, stream) == [0] * 16
    bench.submit(schedule, stream)
    assert bench.integers(out, 16, stream) == [5] * 16


@pytest.mark.parametrize("name", ["Profiling", "Timing", "Capture", None])
def test_a_setting_of_runs_works_or_is_refused(bench: Bench, name: str | None) -> None:
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(64))
    bench.fill_command(schedule, out, 5, 16)
    bit = N()[f"NXS_ExecutionSettings_{name}"] if name else 1 << 40
    status = bench.native.try_("RunSchedule", schedule, stream, bit)
    assert status == "NXS_NotSupported" or (name and status == "NXS_Success")
    bench.finish(stream)
    assert bench.integers(out, 16, stream) == [5 if status == "NXS_Success" else 0] * 16


def test_a_released_schedule_finishes_its_runs(bench: Bench) -> None:
    """The buffers and kernels that the runs use are kept too."""
    stream, out, native = bench.stream(), bench.buffer(bytes(64)), bench.native
    bench.long_work(1 << 22, stream)
    schedule = bench.schedule()
    source = bench.buffer(struct.pack("<i", 21) * 16)
    made = add(bench, schedule, source, source, out)
    bench.submit(schedule, stream)
    bench.release("Schedule", schedule)
    bench.forget("Command", made)
    bench.release("Buffer", source)
    for kind, each in bench.made():
        if kind in ("Kernel", "Library"):
            bench.release(kind, each)
    native.refuse("NXS_InvalidSchedule", "RunSchedule", schedule, stream, 0)
    assert bench.integers(out, 16, stream) == [42] * 16


def test_a_schedule_keeps_what_its_commands_use(bench: Bench) -> None:
    stream, out, schedule = bench.stream(), bench.buffer(bytes(64)), bench.schedule()
    source = bench.buffer(struct.pack("<i", 21) * 16)
    add(bench, schedule, source, source, out)
    copied = bench.buffer(struct.pack("<i", 9) * 16)
    bench.create("CreateCopyCommand", schedule, part(out, 0, 4), part(copied, 0, 4))
    for kind, each in bench.made():
        if kind in ("Kernel", "Library") or each in (source, copied):
            bench.release(kind, each)
    others = [bench.buffer(b"\xff" * 64) for _ in range(50)]  # would use memory that was freed
    for _ in range(2):
        bench.submit(schedule, stream)
        assert bench.integers(out, 16, stream) == [9] + [42] * 15
    assert len(others) == 50


_RECORDING = ["CreateCommand", "CreateCopyCommand", "CreateFillCommand", "FinalizeCommand",
              "CreateScheduleCommand", "CreateConditionCommand"]  # fmt: skip


@pytest.mark.parametrize("name", _RECORDING)
def test_recording_while_a_run_is_in_flight_is_refused(bench: Bench, name: str) -> None:
    calls.need(bench, name)
    given = calls.arguments(bench, name)

    def record(work: Work) -> str:
        first = work.command if name == "FinalizeCommand" else work.schedule
        return bench.native.try_(
            name, first, *(given[1:] if name != "FinalizeCommand" else [launch(1)])
        )

    assert bench.while_running(record) == "NXS_InvalidOperation"


def test_after_its_runs_a_schedule_takes_commands_again(bench: Bench) -> None:
    stream, schedule, out = bench.stream(), bench.schedule(), bench.buffer(bytes(64))
    for number in range(1, 4):
        bench.fill_command(schedule, out, number, 16)
        bench.submit(schedule, stream)
        assert bench.integers(out, 16, stream) == [number] * 16
        assert bench.property("Schedule", schedule, "Size") == number


def test_a_run_returns_while_it_runs(bench: Bench) -> None:
    bench.while_running(lambda work: None)


# ---- Nested schedules ----


def nest(bench: Bench, outer: int, inner: int) -> int:
    """Appends a run of another schedule."""
    return bench.create("CreateScheduleCommand", outer, inner)


@pytest.mark.needs("NestedSchedule")
def test_a_nested_schedule_runs_in_its_place(bench: Bench) -> None:
    stream, outer, inner = bench.stream(), bench.schedule(), bench.schedule()
    out, other = bench.buffer(bytes(64)), bench.buffer(bytes(64))
    add(bench, inner, out, out, out)
    bench.fill_command(outer, out, 3, 16)
    nest(bench, outer, inner)
    nest(bench, outer, inner)
    add(bench, outer, out, out, other)
    bench.submit(outer, stream)
    assert bench.integers(other, 16, stream) == [24] * 16


@pytest.mark.needs("NestedSchedule")
def test_a_nested_schedule_runs_as_it_is_at_the_run(bench: Bench) -> None:
    stream, outer, inner, out = bench.stream(), bench.schedule(), bench.schedule(), bench.buffer(64)
    command = bench.fill_command(inner, out, 1, 16)
    nest(bench, outer, inner)
    bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", 2))
    bench.submit(outer, stream)
    assert bench.integers(out, 16, stream) == [2] * 16
    bench.fill_command(inner, out, 3, 16)
    bench.submit(outer, stream)
    assert bench.integers(out, 16, stream) == [3] * 16


@pytest.mark.needs("NestedSchedule")
def test_a_schedule_that_is_nested_twice_is_rebound_at_both_places(bench: Bench) -> None:
    stream, outer, inner = bench.stream(), bench.schedule(), bench.schedule()
    x, total = bench.buffer(bytes(64)), bench.buffer(bytes(64))
    command = bench.fill_command(inner, x, 0, 16)
    add(bench, inner, total, x, total)
    nest(bench, outer, inner)
    nest(bench, outer, inner)
    for number in range(1, 6):
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", number))
        bench.submit(outer, stream)
        assert bench.integers(total, 16, stream) == [number * (number + 1)] * 16


@pytest.mark.needs("NestedSchedule")
def test_a_circle_of_schedules_is_refused(bench: Bench) -> None:
    first, second, third = bench.schedule(), bench.schedule(), bench.schedule()
    refuse = bench.native.refuse
    refuse("NXS_InvalidOperation", "CreateScheduleCommand", first, first)
    nest(bench, first, second)
    nest(bench, second, third)
    refuse("NXS_InvalidOperation", "CreateScheduleCommand", second, first)
    refuse("NXS_InvalidOperation", "CreateScheduleCommand", third, first)
    assert bench.property("Schedule", third, "Size") == 0


@pytest.mark.needs("NestedSchedule")
def test_a_nested_run_overlaps_with_no_run_of_its_own(bench: Bench) -> None:
    other = bench.stream()

    def run_outer(work: Work) -> int:
        outer = bench.schedule()  # a new one each time: the run before may be in flight
        nest(bench, outer, work.schedule)
        return bench.state(other, bench.submit(outer, other))

    assert bench.while_running(run_outer) == N()["NXS_CompletionState_Running"]
    bench.finish(other)
