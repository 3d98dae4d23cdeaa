# SPDX-License-Identifier: Apache-2.0
"""Replay: what a run keeps from its submission, and what may change meanwhile."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import (
    COUNT,
    LONG,
    SHORT,
    Obstacle,
    Workbench,
    attempted,
    refused,
    values,
)

# ---- Arguments ----


@pytest.mark.promise("replay-snapshot", "replay-rebind")
def test_a_run_uses_the_arguments_of_its_submission(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, first, second = work.device.create_stream(), work.ints(), work.ints()
    schedule = work.device.create_schedule()
    command = work.fill(schedule, first, 1)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False)
        command.set_arg(1, np.int32(2))
        command.set_buffer(0, second)
        if not obstacle.running:  # a run that is held back holds back no run in another stream
            schedule.run(work.device.create_stream(), timeout=LONG)
            assert values(second) == {2}
            second.fill(0)
        release()
        stream.synchronize(LONG)
        assert (values(first), values(second)) == ({1}, {0})
    schedule.run(stream, timeout=LONG)
    assert (values(first), values(second)) == ({1}, {2})


@pytest.mark.promise("replay-rebind")
def test_a_number_is_bound_anew_for_each_run(work: Workbench) -> None:
    out = work.device.create_buffer(np.zeros(COUNT, np.int64))
    schedule = work.device.create_schedule()
    command = schedule.create_command(work.kernels["fill_i64"], (out, np.int64(0)), None, COUNT)
    for value in (1, -1, 2**63 - 1, -(2**63)):
        command.set_arg(1, np.int64(value))
        schedule.run(timeout=LONG)
        assert values(out) == {value}


@pytest.mark.promise("replay-rebind", "share-slice")
def test_a_slice_is_bound_in_place_of_a_buffer(work: Workbench) -> None:
    whole = work.ints(0, 2 * COUNT)
    schedule = work.device.create_schedule()
    command = work.fill(schedule, work.ints(), 3)
    alignment = int(work.device.properties.get("BufferOffsetAlignment", 64))
    first = max(1, alignment // 4)
    if first + COUNT > 2 * COUNT:
        whole = work.ints(0, first + COUNT)
    command.set_buffer(0, whole[first : first + COUNT])
    schedule.run(timeout=LONG)
    expected = np.zeros(whole.shape[0], np.int32)
    expected[first : first + COUNT] = 3
    assert np.array_equal(whole.numpy(), expected)


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.promise("replay-rebind")
def test_an_argument_that_is_refused_leaves_the_one_before(work: Workbench) -> None:
    out, schedule = work.ints(), work.device.create_schedule()
    command = work.fill(schedule, out, 7)
    for index, value in ((1, out), (1, np.int64(2**31)), (2, np.int32(1))):
        with pytest.raises((TypeError, ValueError, nexus.NexusError)):
            command.set_arg(index, value)
    schedule.run(timeout=LONG)
    assert values(out) == {7}


# ---- Runs ----


@pytest.mark.promise("replay-resubmit", "replay-snapshot")
def test_a_schedule_is_submitted_again_before_it_has_finished(obstacle: Obstacle) -> None:
    work, rounds = obstacle.work, 30
    stream, schedule = work.device.create_stream(), work.device.create_schedule()
    results = [work.ints() for _ in range(rounds)]
    command = work.fill(schedule, results[0], 0)
    with obstacle.before(stream) as release:
        for i in range(rounds):
            command.set_buffer(0, results[i])
            command.set_arg(1, np.int32(i))
            schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results] == [{i} for i in range(rounds)]


@pytest.mark.promise("replay-resubmit")
@pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])
def test_runs_in_many_streams_do_not_overlap(work: Workbench, cut: bool) -> None:
    counter, more = work.ints(count=256), work.ints(count=256)
    schedule = work.device.create_schedule()
    work.add(schedule, counter, work.ints(1, 256), more)
    if cut:
        schedule.create_signal_command(work.device.create_event())
    work.copy(schedule, more, counter)
    streams = [work.device.create_stream() for _ in range(4)]
    for i in range(60):
        schedule.run(streams[i % 4], blocking=False)
    for stream in streams:
        stream.synchronize(LONG)
    assert values(counter) == {60}


@pytest.mark.promise("replay-resubmit")
def test_a_long_run_in_another_stream_is_waited_for(work: Workbench) -> None:
    counter, more = work.ints(), work.ints()
    schedule = work.device.create_schedule()
    work.add(schedule, counter, work.ints(1), more)
    spin = schedule.create_command(work.kernels["spin"])
    spin.set_arg(0, work.device.create_buffer((1,), dtype="uint32"))
    spin.set_arg(1, work.turns())
    spin.finalize(1, 1)
    work.copy(schedule, more, counter)
    streams = [work.device.create_stream() for _ in range(3)]
    for stream in streams:
        schedule.run(stream, blocking=False)
    work.device.synchronize(LONG)
    assert values(counter) == {3}


ADDITIONS: dict[str, Callable[[Workbench, nexus.Schedule, nexus.Buffer], object]] = {
    "kernel": lambda work, schedule, number: work.fill(schedule, number, 2),
    "copy": lambda work, schedule, number: schedule.create_copy_command(number, work.ints(2)),
    "fill": lambda _, schedule, number: schedule.create_fill_command(number, 2),
    "signal": lambda work, schedule, _: schedule.create_signal_command(work.device.create_event()),
    "wait": lambda work, schedule, _: schedule.create_wait_command(
        work.device.create_event(), 0, 0
    ),
}


@pytest.mark.promise("replay-times")
@pytest.mark.parametrize("cut", [False, True], ids=["in one piece", "with a signal within"])
def test_one_call_submits_many_runs(work: Workbench, cut: bool) -> None:
    counter = work.ints()
    schedule, other = work.counting(counter), work.device.create_stream()
    if cut:
        schedule.create_signal_command(work.device.create_event())
    outer = work.device.create_schedule()
    outer.create_schedule_command(schedule)
    for times in (0, 1, 300):
        schedule.run(times=times, timeout=LONG)
        outer.run(other, blocking=False, times=times)
    schedule.run(
        timing=bool(work.device.runtime.get_property_int("Capabilities") & nexus.capability.Timing),
        times=2,
        timeout=LONG,
    )
    other.synchronize(LONG)
    assert values(counter) == {604}
    assert schedule.get_property_int("RunCount") == 604
    assert outer.get_property_int("RunCount") == 301


@pytest.mark.promise("replay-times", "replay-step")
def test_many_runs_of_one_call_step_the_values(work: Workbench) -> None:
    event, other = work.device.create_event(), work.device.create_event()
    schedule, follower = work.device.create_schedule(), work.device.create_schedule()
    schedule.create_signal_command(event, 5, 2)
    follower.create_wait_command(event, 5, 2)
    follower.create_signal_command(other)
    stream = work.device.create_stream()
    follower.run(stream, blocking=False, times=4)
    schedule.run(times=3, timeout=LONG)
    other.wait(3, LONG)
    assert (event.value, other.value) == (9, 3)
    schedule.run(timeout=LONG)
    other.wait(4, LONG)


@pytest.mark.promise("replay-times", "replay-snapshot")
def test_many_runs_of_one_call_are_held_back_together(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, counter = work.device.create_stream(), work.ints()
    schedule = work.counting(counter)
    with obstacle.before(stream) as release:
        schedule.run(stream, blocking=False, times=20)
        if not obstacle.running:
            assert not stream.is_idle
        release()
        stream.synchronize(LONG)
    assert values(counter) == {20}


@pytest.mark.promise("replay-frozen")
@pytest.mark.parametrize("kind", ADDITIONS)
def test_no_command_is_added_while_a_run_is_in_flight(work: Workbench, kind: str) -> None:
    stream, number, go = work.device.create_stream(), work.ints(), work.device.create_event()
    schedule = work.filling(number, 1)
    stream.wait(go, 1)
    schedule.run(stream, blocking=False)
    (command,) = schedule.get_commands()
    for change in (
        lambda: ADDITIONS[kind](work, schedule, number),
        lambda: command.finalize(1, COUNT),
    ):
        assert refused(change).status == nexus.status.NXS_InvalidOperation
    assert len(schedule.get_commands()) == 1
    go.signal(1)
    stream.synchronize(LONG)
    assert values(number) == {1}
    ADDITIONS[kind](work, schedule, number)
    schedule.run(stream, timeout=LONG)
    assert len(schedule.get_commands()) == 2
    assert values(number) == {1 if kind in ("signal", "wait") else 2}


@pytest.mark.promise("replay-frozen")
def test_no_command_is_added_while_the_backend_runs_it(work: Workbench) -> None:
    stream, number = work.device.create_stream(), work.ints()
    schedule = work.spinning()
    schedule.run(stream, blocking=False)
    added = attempted(lambda: work.fill(schedule, number, 1))
    if isinstance(added, nexus.NexusError):
        assert added.status == nexus.status.NXS_InvalidOperation
    else:  # only if the run has ended
        assert stream.is_idle
    stream.synchronize(LONG)
    schedule.run(stream, timeout=LONG)


# ---- Values and steps ----


@pytest.mark.promise("replay-step")
@pytest.mark.parametrize("step", [1, 3, 2**32])
def test_run_n_uses_the_value_of_run_n(work: Workbench, step: int) -> None:
    stream, made, used = (
        work.device.create_stream(), work.device.create_event(), work.device.create_event(),
    )  # fmt: skip
    schedule = work.device.create_schedule()
    schedule.create_wait_command(used, 5, step)
    schedule.create_signal_command(made, 10, step)
    for n in range(4):
        schedule.run(stream, blocking=False)
        with pytest.raises(TimeoutError):
            stream.synchronize(SHORT)
        used.signal(5 + n * step)
        stream.synchronize(LONG)
        assert made.value == 10 + n * step


@pytest.mark.promise("replay-step", "replay-snapshot")
def test_values_that_are_set_anew_are_for_later_runs(obstacle: Obstacle) -> None:
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
    for value in (1000, 1007):
        schedule.run(stream, timeout=LONG)
        assert event.value == value


@pytest.mark.promise("replay-snapshot")
def test_a_wait_uses_the_value_of_its_submission(work: Workbench) -> None:
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
        stream.synchronize(SHORT)
    event.signal(100)
    stream.synchronize(LONG)


@pytest.mark.promise("replay-step", "order-event")
@pytest.mark.parametrize("first", ["producer", "consumer", "in turn"])
def test_replays_of_a_producer_and_a_consumer(work: Workbench, first: str) -> None:
    device, rounds = work.device, 100
    produced, consumed = device.create_event(), device.create_event()
    number, results = work.ints(), [work.ints(-1) for _ in range(rounds)]
    producer, consumer = device.create_schedule(), device.create_schedule()
    producer.create_wait_command(consumed, 0, 1)
    fill = work.fill(producer, number, 0)
    producer.create_signal_command(produced, 1, 1)
    consumer.create_wait_command(produced, 1, 1)
    copy = work.copy(consumer, number, results[0])
    consumer.create_signal_command(consumed, 1, 1)
    streams = device.create_stream(), device.create_stream()

    def produce(i: int) -> None:
        fill.set_arg(1, np.int32(i))
        producer.run(streams[0], blocking=False)

    def consume(i: int) -> None:
        copy.set_buffer(1, results[i])
        consumer.run(streams[1], blocking=False)

    each = range(rounds)
    calls = {
        "producer": [*((produce, i) for i in each), *((consume, i) for i in each)],
        "consumer": [*((consume, i) for i in each), *((produce, i) for i in each)],
        "in turn": [(submit, i) for i in each for submit in (consume, produce)],
    }
    for submit, i in calls[first]:
        submit(i)
    consumed.wait(rounds, timeout=LONG)
    assert produced.value == rounds  # the last consumer waited for it
    assert [values(result) for result in results] == [{i} for i in each]


# ---- Descriptions ----


@pytest.mark.promise("replay-describe")
def test_a_schedule_that_is_made_of_a_description_does_the_same(work: Workbench) -> None:
    device, event = work.device, work.device.create_event()
    count = max(COUNT, int(device.properties.get("BufferOffsetAlignment", 64)) // 4)
    both, total = work.ints(count=2 * count), work.ints(count=count)
    inner, outer = device.create_schedule(), device.create_schedule()
    work.fill(inner, both[:count], 3)
    inner.create_copy_command(both[count:], both[:count])
    outer.create_fill_command(total, 4)
    outer.create_schedule_command(inner)
    work.add(outer, both[:count], both[count:], total)
    outer.create_signal_command(event, 5, 2)
    description = outer.describe()
    bits = device.runtime.get_property_int("Capabilities")
    if not bits & nexus.capability.LibraryFromMemory:
        with pytest.raises(ValueError, match="codes"):
            nexus.Schedule.from_description(device, description)
        return
    made = nexus.Schedule.from_description(device, pickle.loads(pickle.dumps(description)))
    assert made.describe() == description
    fill, _, add, signal = made.get_commands()
    assert values(fill.get_buffer(0)) == {0}
    for _ in range(2):
        made.run(timeout=LONG)
    assert values(add.get_buffer(2)) == values(fill.get_buffer(0)) == {6}
    assert values(total) == {0}  # that of the described one
    assert (signal.get_event().value, event.value) == (7, 0)
