# SPDX-License-Identifier: Apache-2.0
"""Replay: what a run takes along when it is submitted, and what may change meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from workload import LONG, Obstacle, Workload, values

import nexus

# ---- Snapshots ----


@pytest.mark.smoke
def test_a_run_uses_the_arguments_of_its_submission(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream = work.device.create_stream()
    first, second = work.ints(), work.ints()
    schedule = work.device.create_schedule()
    command = work.fill(schedule, first, 1)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        command.set_arg(1, 2)
        command.set_buffer(0, second)
        release()
        stream.synchronize(LONG)
        assert (values(first), values(second)) == ({1}, {0})
    schedule.run(stream, timeout=LONG)
    assert (values(first), values(second)) == ({1}, {2})


def test_a_schedule_is_submitted_again_before_it_has_finished(obstacle: Obstacle) -> None:
    work, rounds = obstacle.work, 100
    stream = work.device.create_stream()
    results = [work.ints() for _ in range(rounds)]
    schedule = work.device.create_schedule()
    command = work.fill(schedule, results[0], 0)
    with obstacle.before(stream) as release:
        for i in range(rounds):
            command.set_buffer(0, results[i])
            command.set_arg(1, i)
            schedule.run(stream, blocking=False)
        assert not stream.is_idle
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results] == [{i} for i in range(rounds)]


def test_a_run_uses_the_event_values_of_its_submission(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, event = work.device.create_stream(), work.device.create_event()
    schedule = work.device.create_schedule()
    signal = schedule.create_signal_command(event, 10, 5)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        schedule.run(stream, blocking=False)
        signal.set_value(1000, 7)
        release()
        stream.synchronize(LONG)
    assert event.value == 15
    schedule.run(stream, timeout=LONG)
    assert event.value == 1000
    schedule.run(stream, timeout=LONG)
    assert event.value == 1007


def test_a_wait_uses_the_value_of_its_submission(work: Workload) -> None:
    stream, event = work.device.create_stream(), work.device.create_event()
    schedule = work.device.create_schedule()
    wait = schedule.create_wait_command(event, 1, 1)
    schedule.run(stream, blocking=False)
    wait.set_value(100)
    event.signal(1)
    stream.synchronize(LONG)
    schedule.run(stream, blocking=False)
    event.signal(99)
    with pytest.raises(TimeoutError):
        stream.synchronize(0.02)
    event.signal(100)
    stream.synchronize(LONG)


@pytest.mark.parametrize(("value", "step"), [(1, 1), (5, 3), (7, 2**40)])
def test_run_n_uses_the_value_of_run_n(work: Workload, value: int, step: int) -> None:
    mine, theirs = work.device.create_event(), work.device.create_event()
    schedule = work.device.create_schedule()
    schedule.create_wait_command(theirs, value, step)
    schedule.create_signal_command(mine, value, step)
    for n in range(4):
        schedule.run(blocking=False)
        due = value + n * step
        theirs.signal(due - 1)
        with pytest.raises(TimeoutError):
            mine.wait(due, timeout=0.005)
        theirs.signal(due)
        mine.wait(due, timeout=LONG)
        assert mine.value == due


def test_arguments_are_bound_anew_between_runs(work: Workload) -> None:
    sources = [work.ints(i) for i in range(20)]
    results = [work.ints() for _ in range(20)]
    schedule = work.device.create_schedule()
    command = work.copy(schedule, sources[0], results[0])
    for source, result in zip(sources, results, strict=True):
        command.set_buffer(0, source)
        command.set_buffer(1, result)
        schedule.run(timeout=LONG)
    assert [values(each) for each in results] == [{i} for i in range(20)]


# ---- Runs of one schedule do not overlap ----


@pytest.mark.parametrize("cut", [False, True], ids=["one piece", "cut"])
def test_runs_of_a_schedule_in_many_streams_do_not_overlap(work: Workload, cut: bool) -> None:
    counter = work.ints(count=20_000)
    schedule = work.counting(counter, cut)
    streams = [work.device.create_stream() for _ in range(4)]
    for stream in streams * 25:
        schedule.run(stream, blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert values(counter) == {100}


@pytest.mark.parametrize("cut", [False, True], ids=["one piece", "cut"])
def test_a_run_in_another_stream_begins_when_the_one_before_has_ended(
    on_cpu: Workload, cut: bool
) -> None:
    device = on_cpu.device
    first, second = device.create_stream(), device.create_stream()
    begun, gate = on_cpu.ints(), on_cpu.ints(count=2)
    view, flags = memoryview(begun), memoryview(gate)
    schedule = device.create_schedule()
    command = on_cpu.fill(schedule, begun, 1)
    if cut:
        schedule.create_signal_command(device.create_event())
    schedule.create_command(on_cpu.library.get_kernel("gate"), (gate,), 1, 1)
    schedule.run(first, blocking=False)
    command.set_arg(1, 2)
    schedule.run(second, blocking=False)
    while not flags[0]:
        pass
    with pytest.raises(TimeoutError):
        second.synchronize(0.05)
    assert view[0] == 1
    flags[1] = 1
    second.synchronize(LONG)
    assert view[0] == 2


# ---- Changes while a run is in flight ----

ADDITIONS: dict[str, Callable[[Workload, nexus.Schedule, nexus.Buffer], object]] = {
    "kernel": lambda work, schedule, buffer: work.fill(schedule, buffer, 5),
    "copy": lambda work, schedule, buffer: schedule.create_copy_command(buffer, work.ints(5)),
    "fill": lambda _, schedule, buffer: schedule.create_fill_command(buffer, 5),
    "signal": lambda work, schedule, _: schedule.create_signal_command(work.device.create_event()),
    "wait": lambda work, schedule, _: schedule.create_wait_command(
        work.device.create_event(), 0, 0
    ),
}


@pytest.mark.parametrize("add", ADDITIONS.values(), ids=list(ADDITIONS))
def test_no_command_is_added_while_a_run_is_in_flight(
    obstacle: Obstacle, add: Callable[[Workload, nexus.Schedule, nexus.Buffer], object]
) -> None:
    work = obstacle.work
    stream, number = work.device.create_stream(), work.ints()
    schedule = work.filling(number, 1)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        with pytest.raises(nexus.NexusError) as error:
            add(work, schedule, number)
        assert error.value.status == nexus.status.NXS_InvalidOperation
        assert len(schedule.get_commands()) == 1
        release()
        stream.synchronize(LONG)
    assert values(number) == {1}
    schedule.run(stream, timeout=LONG)
    add(work, schedule, number)
    schedule.run(stream, timeout=LONG)
    assert len(schedule.get_commands()) == 2
