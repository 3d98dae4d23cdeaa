# SPDX-License-Identifier: Apache-2.0
"""Copies between devices: order on both sides, schedules, closing during a copy, threads."""

from __future__ import annotations

import gc
import itertools
import signal
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from workload import COUNT, LONG, Obstacle, Workload, values

import nexus

OLD, NEW, OTHER = 1, 2, 3


@dataclass(frozen=True)
class Pair:
    """Two devices; copies go from source to target."""

    source: Workload
    target: Workload

    def stream(self, side: str) -> nexus.Stream | None:
        """Makes a stream of a side, or returns None."""
        if side == "no stream":
            return None
        return getattr(self, side).device.create_stream()  # type: ignore[no-any-return]

    def streams(self, stream: nexus.Stream | None) -> list[nexus.Stream]:
        """Returns the streams in which a copy in `stream` is ordered."""
        defaults = [self.source.device.default_stream, self.target.device.default_stream]
        return defaults if stream is None else [stream]


SIDES = ["no stream", "source", "target"]


@pytest.fixture(params=["cpu to reference", "reference to cpu"])
def pair(request: pytest.FixtureRequest, on_cpu: Workload, on_reference: Workload) -> Pair:
    """Both directions."""
    both = (on_cpu, on_reference)
    return Pair(*(both if request.param.startswith("cpu") else reversed(both)))


# ---- The bytes ----


@pytest.mark.smoke
@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("size", [1, 4095, (4 << 20) + 1])
def test_the_bytes_arrive(pair: Pair, side: str, size: int, blocking: bool) -> None:
    """Slices at odd offsets; the bytes around them stay."""
    host = np.random.default_rng(size).integers(0, 256, size + 20, np.uint8)
    expected = np.full(size + 20, 255, np.uint8)
    source = pair.source.device.create_buffer(host)
    target = pair.target.device.create_buffer(expected)
    target[3 : size + 3].copy_from(
        source[17 : size + 17], stream=pair.stream(side), blocking=blocking
    )
    expected[3 : size + 3] = host[17 : size + 17]
    assert (target.numpy() == expected).all()


def test_copy_buffer_makes_an_equal_one(pair: Pair) -> None:
    source = pair.source.ints(NEW)
    copy = pair.target.device.copy_buffer(source)
    assert copy.device == pair.target.device
    assert (copy.shape, copy.dtype) == (source.shape, source.dtype)
    assert values(copy) == {NEW}


def test_memory_that_two_devices_share_stays_as_it_is(pair: Pair) -> None:
    host = nexus.create_buffer(np.arange(2048, dtype=np.int32))
    shared = np.asarray(host)
    source, target = (
        nexus.from_dlpack(shared, device=work.device) for work in (pair.source, pair.target)
    )
    target.copy_from(source)
    target.copy_from(source, stream=pair.target.device.create_stream())
    assert (shared == np.arange(2048)).all()
    with pytest.raises(nexus.NexusError, match="overlap") as raised:
        target[1:].copy_from(source[:-1])
    assert raised.value.status == nexus.status.NXS_MemCopyOverlap
    assert (shared == np.arange(2048)).all()


# ---- Order ----


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("held", ["source", "target"])
def test_it_comes_after_submitted_work_and_before_later_work(
    pair: Pair, side: str, held: str
) -> None:
    source, target, result = pair.source.ints(OLD), pair.target.ints(OTHER), pair.target.ints()
    stream = pair.stream(side)
    busy = pair.stream(held)
    assert busy is not None
    with Obstacle(getattr(pair, held), running=False).before(busy) as release:
        if held == "source":
            pair.source.filling(source, NEW).run(busy, blocking=False)
        else:
            pair.target.filling(target, OLD).run(busy, blocking=False)
        if side == held:  # then only the order of the stream counts
            assert stream is not None
            stream.wait(busy)
        target.copy_from(source, stream=stream, blocking=False)
        for each in pair.streams(stream):
            assert not each.is_idle
        if side != "source":
            pair.target.copying(target, result).run(stream, blocking=False)
        release()
        for each in pair.streams(stream):
            each.synchronize(LONG)
    wanted = NEW if held == "source" else OLD
    assert values(target) == {wanted}
    if side != "source":
        assert values(result) == {wanted}


@pytest.mark.parametrize("side", SIDES)
def test_later_work_on_the_source_does_not_change_what_is_copied(pair: Pair, side: str) -> None:
    count = 1 << 20
    source, target = pair.source.ints(count=count), pair.target.ints(count=count)
    stream = pair.stream(side)
    for value in range(1, 6):
        own = stream if side == "source" else None
        source.fill(value, stream=own, blocking=False)
        target.copy_from(source, stream=stream, blocking=False)
        source.fill(OTHER, blocking=False)
        assert values(target) == {value}
        pair.source.device.synchronize(LONG)  # nothing else orders the next fill in a stream


def test_a_copy_that_does_not_block_returns_at_once(pair: Pair) -> None:
    source, target = pair.source.ints(NEW), pair.target.ints(OLD)
    with Obstacle(pair.source, running=False).before() as release:
        target.copy_from(source, blocking=False)
        assert not pair.target.device.default_stream.is_idle
        release()
        assert values(target) == {NEW}


def test_events_of_either_side_order_it(pair: Pair) -> None:
    source, target = pair.source.ints(NEW), pair.target.ints(OLD)
    go, done = pair.target.device.create_event(), pair.source.device.create_event()
    stream = pair.source.device.create_stream()
    stream.wait(go, 7)
    target.copy_from(source, stream=stream, blocking=False)
    stream.signal(done, 3)
    with pytest.raises(TimeoutError):
        done.wait(3, timeout=0.02)
    pair.target.device.default_stream.signal(go, 7)
    done.wait(3, timeout=LONG)
    assert (np.asarray(target) == NEW).all()


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


# ---- In schedules ----


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_copy_command_goes_between_devices(pair: Pair, side: str) -> None:
    source, target, result = pair.source.ints(), pair.target.ints(), pair.target.ints()
    work: Workload = getattr(pair, side)
    schedule = work.device.create_schedule()
    if side == "source":
        pair.source.fill(schedule, source, NEW)
    command = schedule.create_copy_command(target, source)
    if side == "target":
        pair.target.copy(schedule, target, result)
    assert command.type.name == "Copy"
    for value in (NEW, OTHER):
        source.fill(value)
        schedule.run(timeout=LONG)
        assert values(target) == {NEW if side == "source" else value}
        if side == "target":
            assert values(result) == {value}


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_copy_command_between_devices_gets_other_buffers(pair: Pair, side: str) -> None:
    source, target = pair.source.ints(NEW), pair.target.ints()
    work: Workload = getattr(pair, side)
    near = work.ints(OLD)
    schedule, stream = work.device.create_schedule(), work.device.create_stream()
    command = schedule.create_copy_command(target, source)
    results = [target, *(pair.target.ints() for _ in range(3))]
    with Obstacle(work, running=False).before(stream) as release:
        for result in results:
            command.set_buffer(0, result)
            schedule.run(stream, blocking=False)
        command.enabled = False
        target.fill(OTHER, stream=stream if side == "target" else None, blocking=False)
        schedule.run(stream, blocking=False)
        release()
        stream.synchronize(LONG)
    assert [values(each) for each in results[1:]] == [{NEW}] * 3
    command.enabled = True
    # Within one device, and between devices again.
    command.set_buffer(0 if side == "source" else 1, near)
    schedule.run(timeout=LONG)
    assert values(near if side == "source" else results[-1]) == {NEW if side == "source" else OLD}
    if side == "source":
        command.set_buffer(0, target)
        wrong = 1, pair.target.ints()
    else:
        command.set_buffer(1, source)
        command.set_buffer(0, target)
        wrong = 0, pair.source.ints()
    target.fill(OTHER)
    with pytest.raises(nexus.NexusError):  # none would be of the schedule's device
        command.set_buffer(*wrong)
    schedule.run(timeout=LONG)
    assert values(target) == {NEW}


def test_replays_use_the_arguments_and_bytes_of_their_time(pair: Pair) -> None:
    rounds = 30
    source, target = pair.source.ints(), pair.target.ints()
    schedule = pair.source.device.create_schedule()
    fill = pair.source.fill(schedule, source, 0)
    schedule.create_copy_command(target, source)
    copied = pair.target.device.create_event()
    read = pair.source.device.create_event()
    schedule.create_signal_command(copied)
    schedule.create_wait_command(read)
    taking = pair.target.device.create_schedule()
    taking.create_wait_command(copied)
    take = pair.target.copy(taking, target, target_result := pair.target.ints())
    taking.create_signal_command(read)
    results = [target_result, *(pair.target.ints() for _ in range(rounds - 1))]
    go = pair.source.device.create_event()
    streams = pair.source.device.create_stream(), pair.target.device.create_stream()
    streams[0].wait(go, 1)
    for i, result in enumerate(results):
        fill.set_arg(1, i)
        schedule.run(streams[0], blocking=False)
        take.set_buffer(1, result)
        taking.run(streams[1], blocking=False)
    assert all(not each.is_idle for each in streams)
    go.signal(1)
    for each in streams:
        each.synchronize(LONG)
    assert [values(result) for result in results] == [{i} for i in range(rounds)]


# ---- What ends meanwhile ----


@pytest.mark.parametrize("side", ["source", "target"])
def test_closing_the_stream_ends_a_copy_that_was_held_back(pair: Pair, side: str) -> None:
    source, target = pair.source.ints(NEW), pair.target.ints(OLD)
    stream = pair.stream(side)
    assert stream is not None
    never = pair.source.device.create_event()
    stream.wait(never, 1)
    target.copy_from(source, stream=stream, blocking=False)
    stream.close()
    assert values(target) == {OLD}
    target.copy_from(source)
    assert values(target) == {NEW}


def test_closing_the_stream_leaves_a_copy_that_has_begun(
    on_cpu: Workload, on_reference: Workload
) -> None:
    source, target = on_cpu.ints(OLD), on_reference.ints(OTHER)
    stream = on_cpu.device.create_stream()
    with Obstacle(on_cpu, running=True).before(stream):
        on_cpu.filling(source, NEW).run(stream, blocking=False)
        target.copy_from(source, stream=stream, blocking=False)
        stream.close()
    assert values(target) == {NEW}


def test_buffers_that_go_meanwhile_are_kept_for_it(pair: Pair) -> None:
    source, middle, target = pair.source.ints(NEW), pair.target.ints(), pair.source.ints()
    with Obstacle(pair.source, running=False).before():
        middle.copy_from(source, blocking=False)
        source.close()
        target.copy_from(middle, blocking=False)
        middle.close()
        del source, middle
        gc.collect()
    assert values(target) == {NEW}


def test_ctrl_c_ends_the_wait_and_the_copy_goes_on(pair: Pair) -> None:
    source, target = pair.source.ints(NEW), pair.target.ints(OLD)
    stream = pair.source.device.create_stream()
    for in_stream in (None, stream):
        target.fill(OLD)
        with Obstacle(pair.source, running=False).before(in_stream) as release:
            timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                target.copy_from(source, stream=in_stream)
            timer.join()
            release()
            assert values(target) == {NEW}


# ---- Threads ----


def test_threads_copy_both_ways_at_once(pair: Pair) -> None:
    threads, rounds, count = 4, 25, 5000
    errors: list[BaseException] = []

    def exchange(number: int) -> None:
        try:
            here, there = pair.source.ints(number, count), pair.target.ints(0, count)
            streams = itertools.cycle(
                [None, pair.source.device.create_stream(), pair.target.device.create_stream()]
            )
            for _ in range(rounds):
                stream = next(streams)
                there.copy_from(here, stream=stream, blocking=False)
                here.copy_from(there, stream=stream, blocking=False)
                assert values(here) == {number}
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=exchange, args=(n,), daemon=True) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(4 * LONG)
    assert not any(thread.is_alive() for thread in running)
    assert errors == []


def test_streams_that_wait_for_each_other_meanwhile_go_on(pair: Pair) -> None:
    defaults = pair.source.device.default_stream, pair.target.device.default_stream
    stop = threading.Event()

    def wait_for_each_other() -> None:
        while not stop.is_set():
            defaults[0].wait(defaults[1])
            defaults[1].wait(defaults[0])

    waiting = threading.Thread(target=wait_for_each_other, daemon=True)
    waiting.start()
    source, target = pair.source.ints(NEW), pair.target.ints(OLD)
    for _ in range(100):
        target.copy_from(source, blocking=False)
        source.copy_from(target, blocking=False)
    stop.set()
    waiting.join(LONG)
    assert not waiting.is_alive()
    for stream in defaults:
        stream.synchronize(LONG)
    assert values(source) == values(target) == {NEW}


def test_many_copies_wait_for_their_turn(pair: Pair) -> None:
    source = pair.source.ints(NEW, 1 << 16)
    targets = [pair.target.ints(OLD, 1 << 16) for _ in range(300)]
    with Obstacle(pair.source, running=False).before():
        for target in targets:
            target.copy_from(source, blocking=False)
    assert all(values(target) == {NEW} for target in targets)
