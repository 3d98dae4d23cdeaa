# SPDX-License-Identifier: Apache-2.0
"""Branches of schedules: what each command sees, and what holds for runs, nesting and failure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance._settings import Settings
from nexus.conformance.api.workbench import LONG, After, Workbench, refused, values

CUTS = pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])


def follows(schedule: nexus.Schedule) -> list[list[int]]:
    """Returns what each command follows."""
    return [each.get_property_int_vec("Predecessors") for each in schedule.get_commands()]


def signal(work: Workbench, schedule: nexus.Schedule, after: After = None) -> nexus.Command:
    """Appends a signal of a new event."""
    return schedule.create_signal_command(work.device.create_event(), after=after)


# ---- What a command sees ----


@pytest.mark.promise("order-branches")
@CUTS
def test_a_command_sees_what_it_follows(work: Workbench, cut: bool) -> None:
    """A diamond: each run has another number at the top."""
    top, left, right, bottom = work.ints(), work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    one = work.fill(schedule, top, 1)
    two = work.add(schedule, top, top, left)
    if cut:
        signal(work, schedule, after=[])
    three = work.copy(schedule, top, right, after=[one])
    work.add(schedule, left, right, bottom, after=[two, three])
    schedule.prepare()
    for number in (1, 7, 20):
        one.set_arg(1, np.int32(number))
        schedule.run(timeout=LONG)
        assert values(bottom) == {3 * number}


@pytest.mark.promise("order-branches")
def test_a_command_sees_what_is_followed_indirectly(work: Workbench) -> None:
    first, other, last = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    begin = work.fill(schedule, first, 3)
    middle = work.fill(schedule, other, 4, after=[begin])
    work.fill(schedule, work.ints(), 5, after=[])
    work.copy(schedule, first, last, after=[middle])
    for _ in range(3):
        first.fill(0)
        schedule.run(timeout=LONG)
        assert values(last) == {3}


@pytest.mark.promise("order-branches")
def test_a_command_waits_for_the_longest_that_it_follows(work: Workbench) -> None:
    slow, seen = (work.device.create_buffer((1,), dtype="uint32") for _ in range(2))
    schedule = work.device.create_schedule()
    spin = work.kernels["spin"]
    long = schedule.create_command(spin, (slow, work.turns()), 1, 1)
    short = [work.fill(schedule, work.ints(), i, after=[]) for i in range(3)]
    schedule.create_copy_command(seen, slow, after=[*short, long])
    for _ in range(3):
        slow.fill(0)
        seen.fill(0)
        schedule.run(timeout=LONG)
        assert values(seen) == values(slow) != {0}


@pytest.mark.promise("order-branches")
def test_by_default_a_command_follows_the_one_before_it(work: Workbench) -> None:
    x, y, z = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    work.fill(schedule, x, 1)
    work.fill(schedule, y, 2, after=[])
    schedule.create_copy_command(z, y)
    assert follows(schedule) == [[], [], [1]]
    schedule.run(timeout=LONG)
    assert [values(each) for each in (x, y, z)] == [{1}, {2}, {2}]


@pytest.mark.promise("order-branches")
def test_a_run_ends_when_all_branches_have_ended(work: Workbench) -> None:
    slow = work.device.create_buffer((1,), dtype="uint32")
    slow.fill(0)
    stream, schedule = work.device.create_stream(), work.spinning(slow)
    work.fill(schedule, work.ints(), 1, after=[])
    schedule.run(stream, blocking=False)
    copied = work.device.create_buffer((1,), dtype="uint32")
    copied.copy_from(slow, stream=stream)
    assert values(copied) == values(slow) != {0}


@pytest.mark.promise("order-branches")
def test_commands_that_do_nothing_pass_the_order_on(work: Workbench) -> None:
    x, y, sum_ = work.ints(), work.ints(), work.ints()
    empty = work.ints(count=2)[:0]
    schedule = work.device.create_schedule()
    a = work.fill(schedule, x, 1)
    b = work.fill(schedule, y, 2, after=[])
    nothing = schedule.create_copy_command(empty, empty, after=[a, b])
    none = schedule.create_command(
        work.kernels["fill_i32"], (work.ints(), np.int32(1)), 1, 0, after=[nothing]
    )
    hollow = schedule.create_schedule_command(work.device.create_schedule(), after=[none])
    work.fill(schedule, work.ints(), 3, after=[])
    work.add(schedule, x, y, sum_, after=[hollow])
    for _ in range(2):
        x.fill(0)
        schedule.run(timeout=LONG)
        assert values(sum_) == {3}


@pytest.mark.promise("order-branches")
def test_all_kinds_of_commands_can_be_in_branches(work: Workbench) -> None:
    x, y, z = work.ints(), work.ints(), work.ints()
    event, go = work.device.create_event(), work.device.create_event()
    schedule = work.device.create_schedule()
    first = schedule.create_fill_command(x, 5, after=[])
    wait = schedule.create_wait_command(go, after=[])
    nested = schedule.create_schedule_command(work.filling(y, 6), after=[wait])
    copied = schedule.create_copy_command(z, x, after=[first])
    schedule.create_signal_command(event, after=[nested, copied])
    assert follows(schedule) == [[], [], [1], [0], [2, 3]]
    stream = work.device.create_stream()
    schedule.run(stream, blocking=False)
    assert event.value == 0
    go.signal(1)
    event.wait(1, LONG)
    assert [values(each) for each in (x, y, z)] == [{5}, {6}, {5}]


# ---- Blocks ----


@pytest.mark.promise("order-branches")
@pytest.mark.parametrize("width", [1, 2, 100])
def test_the_command_after_a_block_follows_all_of_it(work: Workbench, width: int) -> None:
    source, total = work.ints(), work.ints(count=width)
    parts = [work.ints(count=1) for _ in range(width)]
    schedule = work.device.create_schedule()
    first = work.fill(schedule, source, 0)
    with schedule.parallel():
        for part in parts:
            work.copy(schedule, source[:1], part)
    with schedule.parallel():
        for i, part in enumerate(parts):
            schedule.create_copy_command(total[i : i + 1], part)
    assert follows(schedule)[1 : width + 1] == [[0]] * width
    assert follows(schedule)[-1] == list(range(1, width + 1))
    for number in (3, 8):
        first.set_arg(1, np.int32(number))
        schedule.run(timeout=LONG)
        assert values(total) == {number}


@pytest.mark.promise("order-branches")
def test_after_goes_before_the_block(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    with schedule.parallel():
        one = work.fill(schedule, work.ints(), 1)
        work.fill(schedule, work.ints(), 2, after=[one])
        work.fill(schedule, work.ints(), 3)
    work.fill(schedule, work.ints(), 4)
    work.fill(schedule, work.ints(), 5)
    with schedule.parallel():
        work.fill(schedule, work.ints(), 6)
    work.fill(schedule, work.ints(), 7, after=[one])
    work.fill(schedule, work.ints(), 8)
    assert follows(schedule) == [[], [0], [], [0, 1, 2], [3], [4], [0], [6]]


@pytest.mark.promise("order-branches")
def test_an_empty_block_changes_nothing(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    with schedule.parallel():
        pass
    work.fill(schedule, work.ints(), 1)
    with schedule.parallel():
        work.fill(schedule, work.ints(), 2)
        work.fill(schedule, work.ints(), 3)
    with schedule.parallel():
        pass
    work.fill(schedule, work.ints(), 4)
    assert follows(schedule) == [[], [0], [0], [1, 2]]
    schedule.run(timeout=LONG)


@pytest.mark.promise("order-branches")
def test_an_exception_ends_the_block(work: Workbench) -> None:
    schedule = work.device.create_schedule()

    def add_and_fail() -> None:
        with schedule.parallel():
            work.fill(schedule, work.ints(), 1)
            work.fill(schedule, work.ints(), 2)
            schedule.create_schedule_command(schedule)

    assert refused(add_and_fail).status == nexus.status.NXS_InvalidOperation
    work.fill(schedule, work.ints(), 3)
    assert follows(schedule) == [[], [], [0, 1]]
    with schedule.parallel():
        schedule.close()


# ---- Runs ----


@pytest.mark.promise("order-branches", "replay-resubmit")
def test_runs_with_branches_do_not_overlap(work: Workbench) -> None:
    counters = [work.ints(count=256) for _ in range(4)]
    schedule = work.device.create_schedule()
    ones, more = work.ints(1, 256), [work.ints(count=256) for _ in counters]
    for counter, between in zip(counters, more, strict=True):
        added = work.add(schedule, counter, ones, between, after=[])
        work.copy(schedule, between, counter, after=[added])
    outer = work.device.create_schedule()
    outer.create_schedule_command(schedule)
    streams = [work.device.create_stream() for _ in range(3)]
    for i in range(60):
        (schedule, outer)[i % 2].run(streams[i % 3], blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert [values(each) for each in counters] == [{60}] * 4


@pytest.mark.promise("order-branches", "replay-snapshot", "replay-rebind")
def test_each_run_has_the_arguments_of_its_submission(work: Workbench) -> None:
    results = [work.ints() for _ in range(6)]
    x, y = work.ints(), work.ints()
    schedule = work.device.create_schedule()
    left = work.fill(schedule, x, 0)
    right = work.fill(schedule, y, 0, after=[])
    join = work.add(schedule, x, y, results[0], after=[left, right])
    stream, go = work.device.create_stream(), work.device.create_event()
    stream.wait(go, 1)
    for i, result in enumerate(results):
        left.set_arg(1, np.int32(i))
        right.set_arg(1, np.int32(10 * i))
        join.set_buffer(2, result)
        schedule.run(stream, blocking=False)
    go.signal(1)
    stream.synchronize(LONG)
    assert [values(each) for each in results] == [{11 * i} for i in range(6)]


@pytest.mark.promise("order-branches")
def test_commands_are_added_to_a_schedule_that_ran(work: Workbench) -> None:
    x, y, sum_ = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    a = work.fill(schedule, x, 1)
    schedule.run(timeout=LONG)
    b = work.fill(schedule, y, 2, after=[])
    schedule.run(timeout=LONG)
    work.add(schedule, x, y, sum_, after=[a, b])
    b.finalize(1, 4)
    y.fill(0)
    schedule.run(timeout=LONG)
    assert sum_.numpy().tolist() == [3] * 4 + [1] * 12


# ---- Nested schedules in branches ----


@pytest.mark.promise("order-branches", "nest-order")
@CUTS
def test_nested_schedules_are_branches(work: Workbench, cut: bool) -> None:
    top, bottom = work.ints(), work.ints()
    sides = [work.ints(), work.ints()]
    schedule = work.device.create_schedule()
    first = work.fill(schedule, top, 1)
    with schedule.parallel():
        for side in sides:
            nested, between = work.device.create_schedule(), work.ints()
            work.add(nested, top, top, between)
            if cut:
                signal(work, nested)
            work.add(nested, between, top, side)
            schedule.create_schedule_command(nested)
    work.add(schedule, sides[0], sides[1], bottom)
    schedule.prepare()
    for number in (1, 5):
        first.set_arg(1, np.int32(number))
        schedule.run(timeout=LONG)
        assert values(bottom) == {6 * number}


@pytest.mark.promise("order-branches", "nest-runs")
@CUTS
def test_a_schedule_in_two_branches_runs_one_after_the_other(work: Workbench, cut: bool) -> None:
    counter = work.ints(count=256)
    inner = work.counting(counter)
    if cut:
        inner.create_schedule_command(work.filling(work.ints(), 1))
    between = work.device.create_schedule()
    between.create_schedule_command(inner)
    outer = work.device.create_schedule()
    with outer.parallel():
        for nested in (inner, between, inner):
            outer.create_schedule_command(nested)
    for _ in range(20):
        outer.run(blocking=False)
    work.device.default_stream.synchronize(LONG)
    assert values(counter) == {60}
    assert inner.get_property_int("RunCount") == 60


@pytest.mark.promise("order-branches", "nest-order")
def test_branches_within_a_nested_schedule_begin_in_its_place(work: Workbench) -> None:
    x, y, sum_ = work.ints(), work.ints(), work.ints()
    inner, outer = work.device.create_schedule(), work.device.create_schedule()
    copied = work.copy(inner, x, y, after=[])
    work.fill(inner, work.ints(), 1, after=[])
    first = work.fill(outer, x, 2)
    outer.create_schedule_command(inner)
    work.add(outer, x, y, sum_)
    assert copied.get_property_int_vec("Predecessors") == []
    for number in (2, 9):
        first.set_arg(1, np.int32(number))
        outer.run(timeout=LONG)
        assert values(sum_) == {2 * number}


# ---- Removed commands, mistakes and failure ----


@pytest.mark.promise("order-branches")
def test_what_follows_a_removed_command_follows_what_that_followed(work: Workbench) -> None:
    x, y, sum_ = work.ints(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    a = work.fill(schedule, x, 1)
    b = work.fill(schedule, y, 2, after=[])
    with pytest.raises(nexus.NexusError):
        schedule.create_command(work.kernels["fill_i32"], (x,), 1, 1, after=[a, b])
    assert follows(schedule) == [[], []]
    work.add(schedule, x, y, sum_, after=[a, b])
    with schedule.parallel():
        work.fill(schedule, work.ints(), 1)
        work.fill(schedule, work.ints(), 1)
    with pytest.raises(nexus.NexusError):
        schedule.create_command(work.kernels["fill_i32"], (x,), 1, 1)
    work.fill(schedule, work.ints(), 1)
    assert follows(schedule)[2:] == [[0, 1], [2], [2], [3, 4]]
    schedule.run(timeout=LONG)
    assert values(sum_) == {3}


@pytest.mark.promise("order-branches", "failure-at-once")
def test_what_is_no_earlier_command_of_the_schedule_is_refused(work: Workbench) -> None:
    schedule, other = work.device.create_schedule(), work.device.create_schedule()
    one, foreign = work.fill(schedule, work.ints(), 1), work.fill(other, work.ints(), 1)
    name, others = (each.get_property_str("Name") for each in (schedule, other))

    def add(after: object) -> Callable[[], object]:
        return lambda: work.fill(schedule, work.ints(), 1, after=after)  # type: ignore[arg-type]

    error = refused(add([one, foreign]))
    assert error.status == nexus.status.NXS_InvalidCommand
    assert f"after[1] is a command of {others}" in str(error)
    assert name in str(error)
    for after, parameter in ((one, "after"), (3, "after"), ([one, 3], r"after\[1\]"),
                             ([None], r"after\[0\]"), ("ab", r"after\[0\]")):  # fmt: skip
        with pytest.raises(TypeError, match=f"^{parameter} "):
            add(after)()
    assert len(schedule.get_commands()) == 1
    work.fill(schedule, work.ints(), 1, after=[one, one])
    work.fill(schedule, work.ints(), 1)
    assert follows(schedule) == [[], [0], [1]]


@pytest.mark.promise("order-branches", "failure-at-once")
def test_a_refused_command_leaves_the_order_of_the_next_one(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    one = work.fill(schedule, work.ints(), 1)
    work.fill(schedule, work.ints(), 1)
    with pytest.raises(nexus.NexusError):
        schedule.create_copy_command(work.ints(), work.ints(count=1), after=[one])
    with pytest.raises(nexus.NexusError):
        schedule.create_schedule_command(schedule, after=[])
    work.fill(schedule, work.ints(), 1)
    assert follows(schedule) == [[], [0], [1]]


@pytest.mark.promise("order-branches", "failure-at-once")
def test_a_block_within_a_block_is_refused(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    with schedule.parallel():
        error = refused(lambda: schedule.parallel().__enter__())
        work.fill(schedule, work.ints(), 1)
        work.fill(schedule, work.ints(), 2)
    assert error.status == nexus.status.NXS_InvalidOperation
    assert "parallel block" in str(error)
    assert follows(schedule) == [[], []]


@pytest.mark.promise("order-branches", "failure-named")
def test_a_failure_in_a_branch_is_that_of_the_run(work: Workbench, settings: Settings) -> None:
    if settings.failing_kernel is None:
        not_applicable("nexus_conformance.toml names no failing_kernel")
    path, name = settings.failing_kernel
    library = work.device.compile(path) if path.suffix == ".c" else work.device.load_library(path)
    stream, schedule = work.device.create_stream(), work.device.create_schedule()
    with schedule.parallel():
        work.fill(schedule, work.ints(), 1)
        schedule.create_command(library.get_kernel(name), (), 2, 2)
        schedule.create_schedule_command(work.filling(work.ints(), 2))
    work.fill(schedule, work.ints(), 3)
    error = refused(lambda: schedule.run(stream, timeout=LONG))
    assert error.status not in (nexus.status.NXS_Success, nexus.status.NXS_Timeout)
    assert schedule.get_property_str("Name").capitalize() + ", run 1: command" in str(error)
    assert f"1 (kernel '{name}')" in str(error) or "0 (kernel 'fill_i32') to " in str(error)
    assert refused(lambda: schedule.run(stream)).status == error.status
    stream.close()  # else later tests get its failure when they wait for the device
