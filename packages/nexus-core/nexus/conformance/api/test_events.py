# SPDX-License-Identifier: Apache-2.0
"""Events: the order they enforce, and their values."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import nexus
from nexus import event_type
from nexus.conformance.api.workbench import COUNT, LONG, SHORT, Obstacle, Workbench, refused, values

# ---- Order ----


@pytest.mark.promise("order-event")
@pytest.mark.parametrize("first", ["signal", "wait"])
def test_a_stream_sees_what_came_before_the_signal_of_another(
    obstacle: Obstacle, first: str
) -> None:
    work = obstacle.work
    producer, consumer = work.device.create_stream(), work.device.create_stream()
    ready, number, result = work.device.create_event(), work.ints(), work.ints()

    def produce() -> None:
        work.filling(number, 7).run(producer, blocking=False)
        producer.signal(ready, 3)

    def consume() -> None:
        consumer.wait(ready, 3)
        work.copying(number, result).run(consumer, blocking=False)

    with obstacle.before(producer) as release:
        for submit in (produce, consume) if first == "signal" else (consume, produce):
            submit()
        release()
        consumer.synchronize(LONG)
    assert values(result) == {7}


@pytest.mark.promise("order-event")
def test_the_host_sees_what_came_before_a_signal(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, aside = work.device.create_stream(), work.device.create_stream()
    ready, number, host = work.device.create_event(), work.ints(), np.zeros(COUNT, np.int32)
    with obstacle.before(stream) as release:
        work.filling(number, 7).run(stream, blocking=False)
        stream.signal(ready, 1)
        release()
        ready.wait(1, timeout=LONG)
    number.copy(host, stream=aside)  # ordered after the event only
    assert set(host.tolist()) == {7}


@pytest.mark.promise("order-event")
def test_a_stream_waits_for_all_that_another_was_given(obstacle: Obstacle) -> None:
    work = obstacle.work
    producer, consumer = work.device.create_stream(), work.device.create_stream()
    number, result = work.ints(), work.ints()
    with obstacle.before(producer) as release:
        number.fill(9, stream=producer, blocking=False)
        consumer.wait(producer)
        result.copy_from(number, stream=consumer, blocking=False)
        release()
        consumer.synchronize(LONG)
    assert values(result) == {9}


@pytest.mark.promise("order-event")
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_diamonds_of_four_streams(work: Workbench, order: tuple[int, ...]) -> None:
    device, rounds = work.device, 10
    top, left, right, joined = (device.create_event() for _ in range(4))
    number, plus_one, plus_two = work.ints(), work.ints(), work.ints()
    results = [work.ints() for _ in range(rounds)]
    schedules = [device.create_schedule() for _ in range(4)]
    schedules[0].create_wait_command(joined, 0)
    fill = work.fill(schedules[0], number, 0)
    schedules[0].create_signal_command(top)
    for side, addend, total, event in ((1, 1, plus_one, left), (2, 2, plus_two, right)):
        schedules[side].create_wait_command(top)
        work.add(schedules[side], number, work.ints(addend), total)
        schedules[side].create_signal_command(event)
    schedules[3].create_wait_command(left)
    schedules[3].create_wait_command(right)
    join = work.add(schedules[3], plus_one, plus_two, results[0])
    schedules[3].create_signal_command(joined)
    streams = [device.create_stream() for _ in range(4)]
    for place in order:
        for i in range(rounds):
            if place == 0:
                fill.set_arg(1, np.int32(i))
            if place == 3:
                join.set_buffer(2, results[i])
            schedules[place].run(streams[place], blocking=False)
    joined.wait(rounds, timeout=LONG)
    assert [values(result) for result in results] == [{2 * i + 3} for i in range(rounds)]


@pytest.mark.promise("order-wait-first")
def test_a_wait_holds_back_its_own_stream_and_no_other(work: Workbench) -> None:
    device = work.device
    waiting, other = device.create_stream(), device.create_stream()
    event, number = device.create_event(), work.ints()
    waiting.wait(event, 1)
    work.filling(number, 1).run(waiting, blocking=False)
    for value, stream in ((2, other), (3, None)):
        result = work.ints()
        work.filling(result, value).run(stream, timeout=LONG)
        assert values(result) == {value}
    assert not waiting.is_idle
    event.signal(1)
    waiting.synchronize(LONG)
    assert values(number) == {1}


@pytest.mark.promise("order-wait-first")
def test_streams_that_wait_for_each_other_in_turn_go_on(work: Workbench) -> None:
    device, rounds = work.device, 30
    left, right = device.create_stream(), device.create_stream()
    turn, counter = device.create_event(), work.ints()
    counting = work.counting(counter)
    for i in range(rounds):  # each stream waits for a signal that the other submits later
        right.wait(turn, 2 * i + 1)
        counting.run(right, blocking=False)
        right.signal(turn, 2 * i + 2)
        left.wait(turn, 2 * i)
        counting.run(left, blocking=False)
        left.signal(turn, 2 * i + 1)
    turn.wait(2 * rounds, timeout=LONG)
    assert values(counter) == {2 * rounds}


@pytest.mark.promise("order-wait-first")
def test_more_waits_than_a_driver_has_queues_block_nothing(work: Workbench) -> None:
    streams = [work.device.create_stream() for _ in range(40)]
    turn, counter = work.device.create_event(), work.ints()
    counting = work.counting(counter)
    for i, stream in enumerate(reversed(streams)):
        stream.wait(turn, len(streams) - 1 - i)
        counting.run(stream, blocking=False)
        stream.signal(turn, len(streams) - i)
    turn.wait(len(streams), timeout=LONG)
    assert values(counter) == {len(streams)}


@pytest.mark.promise("order-backends")
@pytest.mark.parametrize("waiter", ["ours", "theirs"])
def test_an_event_orders_two_devices(work: Workbench, neighbour: nexus.Device, waiter: str) -> None:
    devices = (neighbour, work.device) if waiter == "ours" else (work.device, neighbour)
    producer, consumer = (each.create_stream() for each in devices)
    ready = work.device.create_event()
    number = devices[0].create_buffer(np.zeros(COUNT, np.int32))
    marks = devices[1].create_buffer(np.zeros(COUNT, np.int32))
    go = neighbour.create_event()
    consumer.wait(ready, 1)
    marks.fill(1, stream=consumer, blocking=False)
    producer.wait(go, 1)
    number.fill(7, stream=producer, blocking=False)
    producer.signal(ready, 1)
    with pytest.raises(TimeoutError):
        consumer.synchronize(SHORT)
    go.signal(1)
    consumer.synchronize(LONG)
    host = np.zeros(COUNT, np.int32)
    number.copy(host, stream=devices[0].create_stream())
    assert (set(host.tolist()), values(marks)) == ({7}, {1})


# ---- Values ----


@pytest.mark.promise("event-grows")
def test_a_shared_event_only_grows(work: Workbench) -> None:
    event = work.device.create_event()
    assert event.value == 0
    assert event.type == event_type.Shared
    event.signal(5)
    event.signal(5)
    with pytest.raises(ValueError, match="4"):
        event.signal(4)
    assert event.value == 5
    assert event.wait(3, timeout=0) == nexus.status.NXS_Success


@pytest.mark.promise("event-grows")
@pytest.mark.parametrize("value", [1, 2**31, 2**32 + 1, 2**63 - 1])
def test_values_have_64_bits(work: Workbench, value: int) -> None:
    stream, event = work.device.create_stream(), work.device.create_event()
    stream.signal(event, value - 1)
    stream.signal(event, value)
    stream.wait(event, value)
    stream.synchronize(LONG)
    assert event.value == value


@pytest.mark.promise("event-grows")
def test_a_signal_that_the_event_has_grown_beyond_changes_nothing(work: Workbench) -> None:
    stream = work.device.create_stream()
    go, event, other = (work.device.create_event() for _ in range(3))
    stream.wait(go)
    stream.signal(event, 5)
    event.signal(9)
    stream.signal(other, 7)
    stream.signal(other, 6)
    go.signal()
    stream.synchronize(LONG)
    assert (event.value, other.value) == (9, 7)
    assert event.is_done
    assert other.is_done


@pytest.mark.promise("event-one-shot")
@pytest.mark.parametrize("kind", [event_type.Signal, event_type.Fence])
def test_one_shot_events_are_armed_by_each_submission(
    obstacle: Obstacle, kind: event_type.EventType
) -> None:
    work = obstacle.work
    stream, event, number = work.device.create_stream(), work.device.create_event(kind), work.ints()
    schedule = work.device.create_schedule()
    fill = work.fill(schedule, number, 0)
    schedule.create_signal_command(event)
    for i in range(1, 4):
        fill.set_arg(1, np.int32(i))
        with obstacle.before(stream) as release:
            schedule.run(stream, blocking=False)
            if not obstacle.running:
                assert (event.value, event.is_done) == (0, False)
            release()
            event.wait(1, timeout=LONG)
        host = np.zeros(COUNT, np.int32)
        number.copy(host, stream=work.device.create_stream())
        assert set(host.tolist()) == {i}
        assert (event.value, event.is_done) == (1, True)


@pytest.mark.promise("event-one-shot")
@pytest.mark.parametrize("kind", [event_type.Signal, event_type.Fence])
def test_one_shot_events_have_two_values(work: Workbench, kind: event_type.EventType) -> None:
    event = work.device.create_event(kind)
    with pytest.raises(ValueError, match="2"):
        event.signal(2)
    event.signal()
    assert event.value == 1


@pytest.mark.promise("event-done")
def test_an_event_is_done_when_all_its_signals_have_happened(obstacle: Obstacle) -> None:
    work = obstacle.work
    stream, event = work.device.create_stream(), work.device.create_event()
    assert not event.is_done
    with obstacle.before(stream) as release:
        stream.signal(event, 1)
        stream.signal(event, 2)
        if not obstacle.running:
            assert not event.is_done
        release()
        stream.synchronize(LONG)
    assert event.is_done


@pytest.mark.promise("event-done")
def test_an_event_without_a_signal_is_not_done(work: Workbench) -> None:
    event = work.device.create_event()
    work.device.create_stream().wait(event, 0)
    assert not event.is_done


@pytest.mark.promise("thread-no-lock")
def test_a_wait_of_the_host_ends_with_another_threads_signal(work: Workbench) -> None:
    event = work.device.create_event()
    waiter = threading.Thread(target=event.wait, args=(3, LONG), daemon=True)
    waiter.start()
    for value in range(1, 4):
        event.signal(value)
    waiter.join(LONG)
    assert not waiter.is_alive()


def test_an_event_of_another_type_than_there_are_is_refused(work: Workbench) -> None:
    with pytest.raises(ValueError, match="event_type"):
        work.device.create_event(7)


def test_signals_from_threads_reach_the_largest_value(work: Workbench) -> None:
    event = work.device.create_event()
    streams = [work.device.create_stream() for _ in range(4)]
    for value in range(1, 41):
        streams[value % 4].wait(event, value - 1)
        streams[value % 4].signal(event, value)
    event.wait(40, timeout=LONG)
    for stream in streams:
        stream.synchronize(LONG)
    assert event.value == 40


def test_a_closed_event_is_refused(work: Workbench) -> None:
    event = work.device.create_event()
    event.close()
    assert refused(lambda: event.signal(1)).status == nexus.status.NXS_InvalidEvent
    stream = work.device.create_stream()
    assert refused(lambda: stream.signal(event, 1)).status == nexus.status.NXS_InvalidEvent
