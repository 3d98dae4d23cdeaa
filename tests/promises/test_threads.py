# SPDX-License-Identifier: Apache-2.0
"""Threads: any of them may use any object, and none waits for another's wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from workload import COUNT, LONG, Obstacle, Workload, allowing, values

import nexus

THREADS = 8


def in_threads(call: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """What call(i) returns in each thread; they begin together. Raises what one of them raised."""
    begin = threading.Barrier(count)
    results: list[Any] = [None] * count
    errors: list[BaseException] = []

    def run(place: int) -> None:
        try:
            begin.wait(LONG)
            results[place] = call(place)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads)
    return results


# ---- Eight threads ----


@pytest.mark.smoke
def test_eight_threads_use_one_device(work: Workload) -> None:
    def use(place: int) -> set[int]:
        stream, counter = work.device.create_stream(), work.ints(place)
        for _ in range(10):
            work.counting(counter).run(stream, blocking=False)
            counter.copy_from(counter.numpy() + 1)
            counter = work.device.copy_buffer(counter)
        return values(counter)

    assert in_threads(use) == [{place + 20} for place in range(THREADS)]


def test_eight_threads_use_one_stream(work: Workload) -> None:
    stream, counter, rounds = work.device.create_stream(), work.ints(), 25

    def use(place: int) -> None:
        counting = work.counting(counter)  # of its own: only the stream orders the runs
        for i in range(rounds):
            counting.run(stream, blocking=i % 5 == place % 5)
        stream.synchronize(LONG)

    in_threads(use)
    assert values(counter) == {THREADS * rounds}


def test_eight_threads_take_turns_by_one_event(work: Workload) -> None:
    turn, counter, rounds = work.device.create_event(), work.ints(), 25
    streams = [work.device.create_stream() for _ in range(THREADS)]

    def use(place: int) -> None:
        stream, counting = streams[place], work.counting(counter)
        for i in range(rounds):
            mine = i * THREADS + place
            if i % 2:  # by the host and by the stream
                turn.wait(mine, timeout=LONG)
            else:
                stream.wait(turn, mine)
            counting.run(stream, blocking=False)
            stream.signal(turn, mine + 1)

    in_threads(use)
    turn.wait(THREADS * rounds, timeout=LONG)
    assert values(counter) == {THREADS * rounds}


def test_eight_threads_run_one_schedule(work: Workload) -> None:
    counter, rounds = work.ints(count=4096), 25
    counting = work.counting(counter)

    def use(place: int) -> None:
        stream = work.device.create_stream()
        for i in range(rounds):
            counting.run(stream, blocking=i % 5 == place % 5)
        stream.synchronize(LONG)

    in_threads(use)
    assert values(counter) == {THREADS * rounds}


def test_eight_threads_use_one_buffer(work: Workload) -> None:
    buffer = work.ints()

    def use(place: int) -> None:
        for i in range(25):
            if place % 2:
                buffer.fill(i)
            else:
                assert len(values(buffer)) == 1

    in_threads(use)


def test_eight_threads_load_one_library(work: Workload) -> None:
    def use(place: int) -> set[int]:
        fresh = Workload(work.device, work.source)
        result = fresh.ints()
        fresh.filling(result, place).run(timeout=LONG)
        return values(result)

    assert in_threads(use) == [{place} for place in range(THREADS)]


# ---- No lock is held over a wait ----


class Shared:
    """The objects that a waiting thread and another one both use."""

    def __init__(self, work: Workload, stream: nexus.Stream) -> None:
        self.work = work
        self.stream = stream
        self.buffer = work.ints()
        self.event = work.device.create_event()
        self.schedule = work.device.create_schedule()
        self.command = work.fill(self.schedule, self.buffer, 1)
        self.schedule.create_signal_command(self.event)
        self.schedule.run(stream, blocking=False)

    def use(self) -> None:
        """Calls on all of them that do not wait."""
        device = self.work.device
        assert not self.stream.is_idle
        assert self.event.value == 0
        assert len(self.schedule.get_commands()) == 2
        assert self.schedule.get_property_str("Status") == "Running"
        assert self.buffer.nbytes == 4 * COUNT
        self.command.set_arg(1, 2)
        self.schedule.run(self.stream, blocking=False)
        self.stream.wait(self.event, 1)
        self.stream.signal(self.event, 3)
        self.buffer.fill(4, stream=self.stream, blocking=False)
        other = device.create_stream()
        self.work.filling(self.work.ints(), 1).run(other, timeout=LONG)
        other.wait(self.event, 3)
        with pytest.raises(TimeoutError):
            self.event.wait(3, timeout=0)
        with pytest.raises(TimeoutError):
            device.synchronize(0)
        assert "closed" not in repr(self.schedule)
        device.create_buffer(64).close()


WAITS: dict[str, Callable[[Shared], object]] = {
    "run": lambda shared: shared.schedule.run(shared.stream, timeout=LONG),
    "stream.synchronize": lambda shared: shared.stream.synchronize(LONG),
    "device.synchronize": lambda shared: shared.work.device.synchronize(LONG),
    "event.wait": lambda shared: shared.event.wait(1, timeout=LONG),
    "numpy": lambda shared: shared.buffer.numpy(),
    "copy_from": lambda shared: shared.buffer.copy_from(np.zeros(COUNT, np.int32)),
    "fill": lambda shared: shared.buffer.fill(5),
    "asarray": lambda shared: np.asarray(shared.buffer),
    "copy_buffer": lambda shared: shared.work.device.copy_buffer(shared.buffer),
}


UNORDERED = pytest.mark.unsanitized("two threads change one buffer without an order", by="thread")
HOST_ACCESS = ["numpy", "copy_from", "fill", "asarray", "copy_buffer"]


@pytest.mark.parametrize(
    "wait",
    [
        pytest.param(wait, id=name, marks=[UNORDERED] if name in HOST_ACCESS else [])
        for name, wait in WAITS.items()
    ],
)
def test_a_thread_that_waits_keeps_nobody_from_using_the_same_objects(
    obstacle: Obstacle, wait: Callable[[Shared], object]
) -> None:
    stream = obstacle.work.device.create_stream()
    with obstacle.before(stream) as release:
        shared = Shared(obstacle.work, stream)

        def use(place: int) -> None:
            if place == 0:
                wait(shared)
            else:
                shared.use()
                release()

        in_threads(use, 2)
        stream.synchronize(LONG)
    assert shared.event.value == 3


def test_what_waits_for_an_event_ends_by_another_threads_call(work: Workload) -> None:
    event = work.device.create_event()

    def use(place: int) -> None:
        if place == THREADS - 1:
            for value in range(1, THREADS):
                event.signal(value)
        else:
            event.wait(place + 1, timeout=LONG)

    in_threads(use)  # raises what a thread raised
    assert event.value == THREADS - 1


# ---- Threads that close, and threads that end ----


def test_what_another_thread_closes_works_or_says_so(work: Workload) -> None:
    for _ in range(10):
        use_while_closing(work)
    work.device.synchronize(LONG)
    buffer = work.ints()
    work.filling(buffer, 3).run(timeout=LONG)
    assert (buffer.numpy() == 3).all()


def use_while_closing(work: Workload) -> None:
    """Four threads close an object each, and four use all of them meanwhile."""
    stream, buffer = work.device.create_stream(), work.ints()
    event, schedule = work.device.create_event(), work.filling(buffer, 1)
    ends: list[Callable[[], None]] = [stream.close, buffer.close, event.close, schedule.close]
    uses: list[Callable[[], object]] = [
        lambda: schedule.run(stream, blocking=False),
        lambda: buffer.fill(2, stream=stream, blocking=False),
        lambda: stream.signal(event, 1),
        lambda: stream.synchronize(LONG),
        lambda: buffer.copy(np.zeros(COUNT, np.int32), stream),
        lambda: event.value,
    ]

    def use(place: int) -> None:
        for each in ends[place : place + 1] or uses:
            with allowing("closed"):
                each()

    in_threads(use)


def test_what_a_thread_made_is_used_after_its_end(obstacle: Obstacle) -> None:
    work = obstacle.work
    made: dict[str, Any] = {}

    def make() -> None:
        made["stream"], made["buffer"] = work.device.create_stream(), work.ints()
        made["schedule"] = work.filling(made["buffer"], 1)
        made["obstacle"] = obstacle.before(made["stream"])
        made["release"] = made["obstacle"].__enter__()
        made["schedule"].run(made["stream"], blocking=False)
        try:
            made["stream"].synchronize(0)
        except TimeoutError as error:
            made["error"] = error

    maker = threading.Thread(target=make)
    maker.start()
    maker.join()
    assert not made["stream"].is_idle
    assert made["error"].status == nexus.status.NXS_Timeout
    made["release"]()
    made["schedule"].run(made["stream"], timeout=LONG)
    assert values(made["buffer"]) == {1}


def test_many_threads_that_use_nexus_once_and_end(work: Workload) -> None:
    schedule, buffer = work.device.create_schedule(), work.ints()
    work.fill(schedule, buffer, 1)

    def use() -> None:
        schedule.run(timeout=LONG)
        with pytest.raises(nexus.NexusError, match="index"):
            work.device.runtime.get_device(99)

    for _ in range(200):
        user = threading.Thread(target=use)
        user.start()
        user.join()
    assert values(buffer) == {1}
