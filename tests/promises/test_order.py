# SPDX-License-Identifier: Apache-2.0
"""Order: in a stream, between streams, and of what the host does."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from workload import COUNT, LONG, Obstacle, Workload, values

import nexus

# ---- In a stream ----


def test_work_of_one_stream_runs_in_its_order(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream = work.device.create_stream()
    number, rounds = work.ints(), 50
    results = [work.ints() for _ in range(rounds)]
    host = np.zeros((rounds, *number.shape), np.int32)
    with obstacle.before(stream) as release:
        for i in range(rounds):
            number.fill(i, stream=stream, blocking=False)
            work.copying(number, results[i]).run(stream, blocking=False)
            number.fill(-1, stream=stream, blocking=False)
            results[i].copy(host[i], stream=stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert (host == np.arange(rounds)[:, None]).all()


def test_commands_of_a_schedule_run_in_their_order(work: Workload) -> None:
    schedule = work.device.create_schedule()
    steps = [work.ints() for _ in range(50)]
    for before, after in itertools.pairwise(steps):
        work.add(schedule, before, work.ints(1), after)
    schedule.run(timeout=LONG)
    assert [values(each) for each in steps] == [{i} for i in range(50)]


# ---- Between streams ----


@pytest.mark.smoke
@pytest.mark.parametrize("first", ["signal", "wait"])
def test_a_stream_sees_what_came_before_the_signal_of_another(
    obstacle: Obstacle, first: str
) -> None:
    work = obstacle.work
    producer, consumer = work.device.create_stream(), work.device.create_stream()
    ready = work.device.create_event()
    number, result = work.ints(), work.ints()

    def produce() -> None:
        work.filling(number, 7).run(producer, blocking=False)
        producer.signal(ready, 3)

    def consume() -> None:
        consumer.wait(ready, 3)
        work.copying(number, result).run(consumer, blocking=False)

    with obstacle.before(producer) as release:
        for submit in (produce, consume) if first == "signal" else (consume, produce):
            submit()
        assert not consumer.is_idle
        release()
        consumer.synchronize(LONG)
    assert values(result) == {7}


def test_the_host_sees_what_came_before_a_signal(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, ready = work.device.create_stream(), work.device.create_event()
    number = work.ints()
    view = np.asarray(number)
    with obstacle.before(stream) as release:
        work.filling(number, 7).run(stream, blocking=False)
        stream.signal(ready, 1)
        with pytest.raises(TimeoutError):
            ready.wait(1, timeout=0.02)
        assert (view == 0).all()
        release()
        ready.wait(1, timeout=LONG)
        assert (view == 7).all()


def test_a_wait_holds_back_its_own_stream_and_no_other(work: Workload) -> None:
    device = work.device
    waiting, other = device.create_stream(), device.create_stream()
    event, number = device.create_event(), work.ints()
    waiting.wait(event, 1)
    work.filling(number, 1).run(waiting, blocking=False)
    for value, stream in ((2, other), (3, None)):
        work.filling(work.ints(), value).run(stream, timeout=LONG)
    assert not waiting.is_idle
    event.signal(1)
    waiting.synchronize(LONG)
    assert values(number) == {1}


def test_streams_that_wait_for_each_other_in_turn_go_on(work: Workload) -> None:
    device = work.device
    left, right = device.create_stream(), device.create_stream()
    turn, rounds = device.create_event(), 100
    counter = work.ints()
    counting = work.counting(counter)
    for i in range(rounds):  # each waits for a signal that the other submits later
        right.wait(turn, 2 * i + 1)
        counting.run(right, blocking=False)
        right.signal(turn, 2 * i + 2)
        left.wait(turn, 2 * i)
        counting.run(left, blocking=False)
        left.signal(turn, 2 * i + 1)
    turn.wait(2 * rounds, timeout=LONG)
    assert values(counter) == {2 * rounds}


def test_held_runs_of_one_schedule_do_not_hold_back_each_other(work: Workload) -> None:
    device, counter = work.device, work.ints()
    streams = [device.create_stream() for _ in range(8)]
    turn, counting = device.create_event(), work.counting(counter)
    for i in reversed(range(len(streams))):  # the one that goes first is submitted last
        streams[i].wait(turn, i)
        counting.run(streams[i], blocking=False)
        streams[i].signal(turn, i + 1)
    turn.wait(len(streams), timeout=LONG)
    assert values(counter) == {len(streams)}


@pytest.mark.parametrize("first", ["producer", "consumer", "in turn"])
def test_a_thousand_replays_of_a_producer_and_a_consumer(work: Workload, first: str) -> None:
    device, rounds = work.device, 1000
    produced, consumed = device.create_event(), device.create_event()
    number = work.ints()
    producer = device.create_schedule()
    producer.create_wait_command(consumed, 0, 1)
    fill = work.fill(producer, number, 0)
    producer.create_signal_command(produced, 1, 1)
    consumer = device.create_schedule()
    consumer.create_wait_command(produced, 1, 1)
    results = [work.ints(-1) for _ in range(rounds)]
    copy = work.copy(consumer, number, results[0])
    consumer.create_signal_command(consumed, 1, 1)
    streams = device.create_stream(), device.create_stream()

    def produce(i: int) -> None:
        fill.set_arg(1, i)
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
    assert [values(result) for result in results] == [{i} for i in each]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_diamonds_of_four_streams(work: Workload, order: tuple[int, ...]) -> None:
    device, rounds = work.device, 50
    top, left, right, joined = (device.create_event() for _ in range(4))
    number, one, two = work.ints(), work.ints(1), work.ints(2)
    plus_one, plus_two = work.ints(), work.ints()
    results = [work.ints() for _ in range(rounds)]
    schedules = [device.create_schedule() for _ in range(4)]
    schedules[0].create_wait_command(joined, 0)
    fill = work.fill(schedules[0], number, 0)
    schedules[0].create_signal_command(top)
    for schedule, addend, sum_, event in (
        (schedules[1], one, plus_one, left),
        (schedules[2], two, plus_two, right),
    ):
        schedule.create_wait_command(top)
        work.add(schedule, number, addend, sum_)
        schedule.create_signal_command(event)
    schedules[3].create_wait_command(left)
    schedules[3].create_wait_command(right)
    join = work.add(schedules[3], plus_one, plus_two, results[0])
    schedules[3].create_signal_command(joined)
    streams = [device.create_stream() for _ in range(4)]
    for place in order:
        for i in range(rounds):
            if place == 0:
                fill.set_arg(1, i)
            if place == 3:
                join.set_buffer(2, results[i])
            schedules[place].run(streams[place], blocking=False)
    joined.wait(rounds, timeout=LONG)
    assert [values(result) for result in results] == [{2 * i + 3} for i in range(rounds)]


def test_one_event_orders_two_backends(on_cpu: Workload, on_reference: Workload) -> None:
    turn, counter, rounds = (
        on_cpu.device.create_event(),
        nexus.create_buffer(np.zeros(COUNT, np.int32)),
        30,
    )
    streams = []
    for place, work in ((1, on_reference), (0, on_cpu)):  # the later one's waits come first
        stream = work.device.create_stream()
        counting = work.counting(counter)
        for i in range(rounds):
            stream.wait(turn, 2 * i + place)
            counting.run(stream, blocking=False)
            stream.signal(turn, 2 * i + place + 1)
        streams.append(stream)
    turn.wait(2 * rounds, timeout=LONG)
    assert values(counter) == {2 * rounds}
