# SPDX-License-Identifier: Apache-2.0
"""Branches of schedules: what each command sees, and what is refused."""

from __future__ import annotations

import pytest

from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, Work, launch, part, scalar_argument
from nexus.conformance.capi.schedules.test_schedules import add, nest

pytestmark = pytest.mark.needs("Branches")


def follow(bench: Bench, command: int, *predecessors: int) -> int:
    """Sets the predecessors of a command; returns the command."""
    bench.native.get("SetCommandPredecessors", command, calls.ids(*predecessors), len(predecessors))
    return command


def test_a_command_sees_what_it_follows(bench: Bench) -> None:
    """A diamond of commands: each run has another number at the top."""
    stream, schedule = bench.stream(), bench.schedule()
    top, left, right, bottom = (bench.buffer(bytes(64)) for _ in range(4))
    first = bench.fill_command(schedule, top, 1, 16)
    two = add(bench, schedule, top, top, left)
    three = bench.create("CreateCopyCommand", schedule, part(right, 0, 64), part(top, 0, 64))
    follow(bench, three, first)
    follow(bench, bench.fill_command(schedule, bench.buffer(64), 5, 16))
    follow(bench, add(bench, schedule, left, right, bottom), two, three)
    for number in (1, 7, 20):
        bench.native.get("SetCommandArgument", first, 1, scalar_argument("i", number))
        bench.submit(schedule, stream)
        assert bench.integers(bottom, 16, stream) == [3 * number] * 16


def test_a_command_sees_what_is_followed_indirectly(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    x, y = bench.buffer(bytes(64)), bench.buffer(bytes(64))
    first = bench.fill_command(schedule, x, 3, 16)
    middle = follow(bench, bench.fill_command(schedule, bench.buffer(64), 4, 16), first)
    follow(bench, bench.fill_command(schedule, bench.buffer(64), 5, 16))
    follow(bench, add(bench, schedule, x, x, y), middle)
    bench.submit(schedule, stream)
    assert bench.integers(y, 16, stream) == [6] * 16


def test_a_command_of_no_work_passes_the_order_on(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    x, y, out = (bench.buffer(bytes(64)) for _ in range(3))
    first = bench.fill_command(schedule, x, 3, 16)
    second = follow(bench, bench.fill_command(schedule, y, 4, 16))
    empty = follow(bench, bench.fill_command(schedule, bench.buffer(64), 9, 16), first, second)
    bench.native.get("FinalizeCommand", empty, launch(0))
    follow(bench, bench.fill_command(schedule, bench.buffer(64), 5, 16))
    follow(bench, add(bench, schedule, x, y, out), empty)
    bench.submit(schedule, stream)
    assert bench.integers(out, 16, stream) == [7] * 16


@pytest.mark.needs("NestedSchedule")
def test_a_nested_schedule_is_followed_as_a_whole(bench: Bench) -> None:
    stream, outer, inner = bench.stream(), bench.schedule(), bench.schedule()
    x, y, z, out = (bench.buffer(bytes(64)) for _ in range(4))
    first = bench.fill_command(outer, x, 3, 16)
    follow(bench, bench.fill_command(outer, bench.buffer(64), 5, 16))
    add(bench, inner, x, x, y)
    follow(bench, add(bench, inner, x, x, z))  # begins in its place too
    place = follow(bench, nest(bench, outer, inner), first)
    follow(bench, bench.fill_command(outer, bench.buffer(64), 6, 16))
    follow(bench, add(bench, outer, y, z, out), place)
    for _ in range(2):
        bench.submit(outer, stream)
        assert bench.integers(out, 16, stream) == [12] * 16
    bench.native.get("SetCommandArgument", first, 1, scalar_argument("i", 4))
    bench.submit(outer, stream)
    assert bench.integers(out, 16, stream) == [16] * 16


@pytest.mark.needs("NestedSchedule")
def test_a_nested_schedule_never_overlaps_with_itself(bench: Bench) -> None:
    stream, outer, inner = bench.stream(), bench.schedule(), bench.schedule()
    counter, more = bench.buffer(bytes(4 * 256)), bench.buffer(4 * 256)
    one = bench.buffer(b"\1\0\0\0" * 256)
    add(bench, inner, counter, one, more, 256)
    bench.create("CreateCopyCommand", inner, part(counter, 0, 1024), part(more, 0, 1024))
    for _ in range(3):
        follow(bench, nest(bench, outer, inner))
    for _ in range(10):
        bench.submit(outer, stream)
    assert bench.integers(counter, 256, stream) == [30] * 256


def test_the_newest_predecessors_count(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    x, y, out = (bench.buffer(bytes(64)) for _ in range(3))
    first = bench.fill_command(schedule, x, 3, 16)
    second = follow(bench, bench.fill_command(schedule, y, 4, 16))
    sum_ = follow(bench, add(bench, schedule, x, y, out), second)
    bench.finish(stream, bench.submit(schedule, stream))
    follow(bench, sum_, first, second, first)
    for buffer in (x, y, out):
        bench.fill(stream, buffer, 64, b"\0")
    bench.submit(schedule, stream)
    assert bench.integers(out, 16, stream) == [7] * 16


def test_what_follows_a_removed_command_follows_what_that_followed(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    x, y, out = (bench.buffer(bytes(64)) for _ in range(3))
    first = bench.fill_command(schedule, x, 3, 16)
    second = follow(bench, bench.fill_command(schedule, y, 4, 16))
    removed = follow(bench, bench.raw_command(schedule), first, second)
    add(bench, schedule, x, y, out)
    other = follow(bench, bench.fill_command(schedule, bench.buffer(64), 5, 16))
    bench.release("Command", removed)
    assert bench.property("Schedule", schedule, "Size") == 4
    follow(bench, add(bench, schedule, x, y, out), other, first, second)
    bench.submit(schedule, stream)
    assert bench.integers(out, 16, stream) == [7] * 16


def test_what_is_no_earlier_command_of_the_schedule_is_refused(bench: Bench) -> None:
    schedule, other = bench.schedule(), bench.schedule()
    first, second, third = (bench.fill_command(schedule, bench.buffer(64), 1, 16) for _ in range(3))
    foreign = bench.fill_command(other, bench.buffer(64), 1, 16)
    refuse = bench.native.refuse
    for wrong in (second, third, foreign):
        refuse("NXS_InvalidValue", "SetCommandPredecessors", second, calls.ids(first, wrong), 2)
    refuse("NXS_InvalidCommand", "SetCommandPredecessors", second, calls.ids(schedule), 1)
    follow(bench, second, first)


def test_it_is_refused_during_a_run(bench: Bench) -> None:
    def set_(work: Work) -> str:
        return bench.native.try_("SetCommandPredecessors", work.command, calls.ids(), 0)

    assert bench.while_running(set_) == "NXS_InvalidOperation"
