# SPDX-License-Identifier: Apache-2.0
"""Schedules within schedules: their place, their runs, and what holds after a change or a close."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, SHORT, Obstacle, Workbench, refused, values

CUTS = pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])


def doubling(work: Workbench, number: nexus.Buffer, cut: bool = False) -> nexus.Schedule:
    """Makes a schedule that doubles a number in two steps, with a signal between them if cut."""
    schedule, twice = work.device.create_schedule(), work.ints()
    work.add(schedule, number, number, twice)
    if cut:
        schedule.create_signal_command(work.device.create_event())
    work.copy(schedule, twice, number)
    return schedule


def containing(work: Workbench, *nested: nexus.Schedule) -> nexus.Schedule:
    """Makes a schedule that runs others."""
    schedule = work.device.create_schedule()
    for each in nested:
        schedule.create_schedule_command(each)
    return schedule


def name_of(schedule: nexus.Schedule) -> str:
    """Returns the schedule's name in errors."""
    return schedule.get_property_str("Name")


# ---- Its place ----


@pytest.mark.promise("nest-order")
@CUTS
def test_a_nested_schedule_runs_in_its_place(work: Workbench, cut: bool) -> None:
    number, more, one = work.ints(), work.ints(), work.ints(1)
    inner, outer = doubling(work, number, cut), work.device.create_schedule()
    for _ in range(2):
        work.add(outer, number, one, more)
        work.copy(outer, more, number)
        if len(outer.get_commands()) == 2:
            outer.create_schedule_command(inner)
    outer.prepare()
    for expected in (3, 9, 21):  # 2 (n + 1) + 1
        outer.run(timeout=LONG)
        assert values(number) == {expected}
    inner.run(timeout=LONG)
    assert values(number) == {42}


@pytest.mark.promise("nest-order")
@CUTS
def test_schedules_nest_deeply_and_several_times(work: Workbench, cut: bool) -> None:
    number = work.ints(1)
    once = doubling(work, number, cut)
    twice = containing(work, once, once)
    outer = containing(work, twice, once, containing(work), containing(work, twice))
    stream = work.device.create_stream()
    for _ in range(2):
        outer.run(stream, blocking=False)
    stream.synchronize(LONG)
    assert values(number) == {2**10}
    assert [each.get_property_int("RunCount") for each in (once, twice, outer)] == [10, 4, 2]


@pytest.mark.promise("nest-order", "replay-rebind")
@CUTS
def test_it_runs_as_it_is_at_the_run(work: Workbench, cut: bool) -> None:
    first, second = work.ints(), work.ints()
    inner = work.device.create_schedule()
    command = work.fill(inner, first, 1)
    outer = containing(work, containing(work, inner))
    outer.run(timeout=LONG)
    command.set_arg(1, np.int32(2))
    outer.run(timeout=LONG)
    assert (values(first), values(second)) == ({2}, {0})
    if cut:
        inner.create_signal_command(work.device.create_event())
    work.copy(inner, first, second)
    command.set_arg(1, np.int32(3))
    outer.run(timeout=LONG)
    assert (values(first), values(second)) == ({3}, {3})
    command.finalize(1, 0)  # an empty launch
    command.set_arg(1, np.int32(4))
    second.fill(0)
    outer.run(timeout=LONG)
    assert (values(first), values(second)) == ({3}, {3})


@pytest.mark.promise("nest-order", "replay-snapshot")
@CUTS
def test_a_run_uses_the_arguments_of_its_submission(obstacle: Obstacle, cut: bool) -> None:
    work = obstacle.work
    stream, results = work.device.create_stream(), [work.ints() for _ in range(4)]
    inner = work.device.create_schedule()
    command = work.fill(inner, results[0], 0)
    outer = work.device.create_schedule()
    if cut:
        outer.create_signal_command(work.device.create_event())
    outer.create_schedule_command(inner)
    with obstacle.before(stream) as release:
        for i, result in enumerate(results):
            command.set_buffer(0, result)
            command.set_arg(1, np.int32(i + 1))
            outer.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results] == [{1}, {2}, {3}, {4}]


# ---- Its runs ----


@pytest.mark.promise("nest-runs", "replay-step")
def test_each_time_that_it_runs_is_a_run_of_it(work: Workbench) -> None:
    event, inner = work.device.create_event(), work.device.create_schedule()
    inner.create_signal_command(event, 10, 5)
    outer = containing(work, inner, inner)
    for schedule, value in ((outer, 15), (inner, 20), (outer, 30), (containing(work, inner), 35)):
        schedule.run(timeout=LONG)
        assert event.value == value
    assert (inner.get_property_int("RunCount"), outer.get_property_int("RunCount")) == (6, 2)


@pytest.mark.promise("nest-runs", "order-event")
def test_a_wait_in_it_holds_back_what_comes_after(work: Workbench) -> None:
    go, number = work.device.create_event(), work.ints(1)
    inner = work.device.create_schedule()
    inner.create_wait_command(go, 3, 2)
    outer = containing(work, doubling(work, number), inner, doubling(work, number))
    stream = work.device.create_stream()
    for value, expected in ((3, 4), (5, 16)):
        outer.run(stream, blocking=False)
        go.signal(value - 1)
        with pytest.raises(TimeoutError):
            stream.synchronize(SHORT)
        go.signal(value)
        stream.synchronize(LONG)
        assert values(number) == {expected}


@pytest.mark.promise("nest-runs", "replay-resubmit")
@CUTS
def test_runs_of_two_that_share_it_do_not_overlap(work: Workbench, cut: bool) -> None:
    counter = work.ints(count=256)
    inner = work.counting(counter)
    if cut:
        inner.create_signal_command(work.device.create_event())
    schedules = [inner, containing(work, inner), containing(work, containing(work, inner), inner)]
    streams = [work.device.create_stream() for _ in range(4)]
    for i in range(60):
        schedules[i % 3].run(streams[i % 4], blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert values(counter) == {80}


CHANGES: dict[str, Callable[[Workbench, nexus.Schedule], object]] = {
    "kernel": lambda work, schedule: work.fill(schedule, work.ints(), 1),
    "fill": lambda work, schedule: schedule.create_fill_command(work.ints(), 1),
    "signal": lambda work, schedule: schedule.create_signal_command(work.device.create_event()),
    "schedule": lambda work, schedule: schedule.create_schedule_command(containing(work)),
    "finalize": lambda work, schedule: schedule.get_commands()[0].finalize(1, 1),
}


@pytest.mark.promise("nest-runs", "replay-frozen")
@pytest.mark.parametrize("change", CHANGES)
def test_it_is_not_changed_while_the_outer_one_runs(work: Workbench, change: str) -> None:
    stream, go, number = work.device.create_stream(), work.device.create_event(), work.ints()
    inner = work.filling(number, 1)
    outer = containing(work, containing(work, inner))
    stream.wait(go, 1)
    outer.run(stream, blocking=False)
    error = refused(lambda: CHANGES[change](work, inner))
    assert error.status == nexus.status.NXS_InvalidOperation
    assert "in flight" in str(error)
    assert len(inner.get_commands()) == 1
    go.signal(1)
    stream.synchronize(LONG)
    CHANGES[change](work, inner)
    outer.run(stream, timeout=LONG)
    assert values(number) == {1}


@pytest.mark.promise("nest-runs", "order-copy")
def test_a_copy_waits_for_the_run_of_the_outer_one(work: Workbench) -> None:
    stream, out = work.device.create_stream(), work.device.create_buffer((1,), dtype="uint32")
    out.fill(0)
    outer = containing(work, containing(work, work.spinning(out)))
    outer.run(stream, blocking=False)
    assert values(out) != {0}
    assert stream.is_idle


# ---- Circles and mistakes ----


@pytest.mark.promise("nest-circle")
def test_a_circle_is_refused_with_its_path(work: Workbench) -> None:
    a, b, c = (work.device.create_schedule() for _ in range(3))
    a.create_schedule_command(b)
    b.create_schedule_command(c)
    for outer, nested, path in ((a, a, (a, a)), (c, b, (c, b, c)), (c, a, (c, a, b, c))):
        error = refused(partial(outer.create_schedule_command, nested))
        assert error.status == nexus.status.NXS_InvalidOperation
        assert " > ".join(map(name_of, path)) in str(error)
    assert [len(each.get_commands()) for each in (a, b, c)] == [1, 1, 0]
    a.create_schedule_command(c)  # in two ways is not a circle
    a.run(timeout=LONG)


@pytest.mark.promise("nest-circle", "failure-at-once")
def test_a_command_that_is_not_finalized_is_named_through_the_nesting(work: Workbench) -> None:
    number = work.ints()
    inner = work.filling(number, 1)
    unfinished = inner.create_command(work.kernels["fill_i32"])
    between = containing(work, inner)
    outer = containing(work, between)
    for call in (outer.run, outer.prepare):
        error = refused(call)
        assert error.status == nexus.status.NXS_InvalidCommand
        path = " > ".join(map(name_of, (outer, between, inner)))
        assert f"Command 1 of {path}, of the kernel 'fill_i32', is not finalized" in str(error)
    assert values(number) == {0}
    assert outer.get_property_int("RunCount") == 0
    unfinished.set_buffer(0, number)
    unfinished.set_arg(1, np.int32(2))
    unfinished.finalize(None, number.shape[0])
    outer.run(timeout=LONG)
    assert values(number) == {2}


@pytest.mark.promise("nest-circle")
@pytest.mark.parametrize("kind", ["nested", "condition"])
def test_more_commands_than_a_run_can_have_are_refused(work: Workbench, kind: str) -> None:
    value = work.ints(1)
    schedule = work.filling(work.ints(), 1)
    for _ in range(40):  # 2 ** 40 commands
        inner, schedule = schedule, work.device.create_schedule()
        if kind == "nested":
            schedule.create_schedule_command(inner)
            schedule.create_schedule_command(inner)
        else:
            schedule.create_if_command(value, inner, inner)
    assert schedule.get_commands()[0].get_property_str("Replay") in ("native", "host")
    error = refused(lambda: schedule.run(timeout=LONG))
    assert error.status == nexus.status.NXS_InvalidOperation
    assert "too many commands" in str(error)
    assert schedule.get_property_int("RunCount") == 0


# ---- Lifetime ----


@pytest.mark.promise("nest-close", "life-keep", "life-close")
@CUTS
def test_a_closed_schedule_is_still_run_by_the_others(work: Workbench, cut: bool) -> None:
    number = work.ints(1)
    inner = doubling(work, number, cut)
    outers = [containing(work, inner), containing(work, containing(work, inner))]
    inner.close()
    assert refused(inner.run).status == nexus.status.NXS_InvalidSchedule
    with pytest.raises(nexus.NexusError):
        containing(work, inner)
    for outer in outers:
        outer.run(timeout=LONG)
    assert values(number) == {4}
    outers[0].close()
    outers[1].run(timeout=LONG)
    assert values(number) == {8}


@pytest.mark.promise("nest-close", "life-any-order")
@CUTS
def test_an_outer_one_that_goes_leaves_the_nested_one(work: Workbench, cut: bool) -> None:
    stream, go, number = work.device.create_stream(), work.device.create_event(), work.ints(1)
    inner = doubling(work, number, cut)
    outer = containing(work, inner)
    stream.wait(go, 1)
    outer.run(stream, blocking=False)
    outer.close()
    del outer
    go.signal(1)
    stream.synchronize(LONG)
    assert values(number) == {2}
    work.fill(inner, number, 5)
    inner.run(timeout=LONG)
    assert values(number) == {5}


@pytest.mark.promise("nest-close", "life-keep")
def test_what_is_nested_goes_with_the_last_that_runs_it(work: Workbench) -> None:
    before = work.live("schedules"), work.live("buffers")
    number = work.ints(1)
    outer = containing(work, doubling(work, number), containing(work, doubling(work, number)))
    outer.run(timeout=LONG)
    assert values(number) == {4}
    assert work.live("schedules") == before[0] + 4
    del outer, number
    assert (work.live("schedules"), work.live("buffers")) == before


# ---- What a command says ----


@pytest.mark.promise("nest-order")
def test_a_schedule_command_says_what_it_runs(work: Workbench) -> None:
    inner, outer = work.filling(work.ints(), 1), work.device.create_schedule()
    command = outer.create_schedule_command(inner)
    assert command.type == nexus.command_type.Schedule
    assert command.get_schedule() == inner
    assert command.get_property_str("Name") == name_of(inner)
    assert name_of(inner) in repr(command)
    for call in (command.get_kernel, command.get_event, inner.get_commands()[0].get_schedule):
        assert refused(call).status == nexus.status.NXS_InvalidOperation
