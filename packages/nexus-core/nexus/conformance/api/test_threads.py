# SPDX-License-Identifier: Apache-2.0
"""Threads: many that use one object, and some that close it meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

import nexus
from nexus.conformance._together import together
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, attempted, values

THREADS = 8


@pytest.mark.promise("thread-any")
def test_eight_threads_use_one_device(work: Workbench) -> None:
    def use(number: int) -> None:
        for i in range(15):
            stream, out = work.device.create_stream(), work.ints()
            copied, event = work.ints(), work.device.create_event()
            work.filling(out, 100 * number + i).run(stream, blocking=False)
            copied.copy_from(out, stream=stream, blocking=False)
            stream.signal(event, 1)
            event.wait(1, timeout=LONG)
            assert values(copied) == {100 * number + i}
            stream.close()

    together(use)


@pytest.mark.promise("thread-any")
def test_eight_threads_use_one_stream(work: Workbench) -> None:
    stream = work.device.create_stream()
    counter = work.ints()
    one = work.ints(1)
    sums = work.ints()
    add = work.device.create_schedule()
    work.add(add, counter, one, sums)
    work.copy(add, sums, counter)

    def use(number: int) -> None:
        out = work.ints()
        for i in range(20):
            add.run(stream, blocking=False)
            out.fill(number + i, stream=stream, blocking=False)
            if i % 5 == 0:
                stream.synchronize(LONG)
        stream.synchronize(LONG)
        assert values(out) == {number + 19}

    together(use)
    assert values(counter) == {20 * THREADS}


@pytest.mark.promise("thread-any")
def test_eight_threads_run_and_rebind_one_schedule(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    outs = [work.ints() for _ in range(THREADS)]
    command = work.fill(schedule, outs[0], 0)
    shared = work.ints()
    free = work.fill(schedule, shared, 0)
    turn = threading.Lock()

    def use(number: int) -> None:
        stream = work.device.create_stream()
        for _ in range(20):
            with turn:  # keeps these calls together
                command.set_buffer(0, outs[number])
                command.set_arg(1, np.int32(number))
                schedule.run(stream, blocking=False)
            free.set_arg(1, np.int32(number))
        stream.synchronize(LONG)

    together(use)
    assert [values(out) for out in outs] == [{n} for n in range(THREADS)]
    assert values(shared) in [{n} for n in range(THREADS)]


@pytest.mark.promise("thread-any")
def test_eight_threads_take_turns_by_one_event(work: Workbench) -> None:
    turn, counter = work.device.create_event(), work.ints()
    rounds = 10

    def use(number: int) -> None:
        stream, counting = work.device.create_stream(), work.counting(counter)
        for i in range(rounds):
            stream.wait(turn, THREADS * i + number)
            counting.run(stream, blocking=False)
            stream.signal(turn, THREADS * i + number + 1)
        stream.synchronize(LONG)

    together(use)
    assert turn.value == THREADS * rounds
    assert values(counter) == {THREADS * rounds}


@pytest.mark.promise("thread-any")
def test_eight_threads_use_one_buffer(work: Workbench) -> None:
    buffer = work.ints()

    def use(number: int) -> None:
        for i in range(20):
            if number % 2:
                buffer.fill(i)
            else:
                assert len(values(buffer)) == 1

    together(use)


@pytest.mark.promise("thread-any")
def test_eight_threads_load_one_library(work: Workbench) -> None:
    def use(number: int) -> None:
        kernel, out = work.load("elements").get_kernel("fill_i32"), work.ints()
        schedule = work.device.create_schedule()
        schedule.create_command(kernel, (out, np.int32(number)), None, COUNT)
        schedule.run(timeout=LONG)
        assert values(out) == {number}

    together(use)


CLOSED: dict[str, tuple[Callable[[Workbench], object], Callable[[Workbench, object], object]]] = {
    "buffer": (
        lambda work: work.ints(3),
        lambda _, each: each.fill(1),  # type: ignore[attr-defined]
    ),
    "stream": (
        lambda work: work.device.create_stream(),
        lambda work, each: work.ints().fill(1, stream=each),  # type: ignore[arg-type]
    ),
    "event": (
        lambda work: work.device.create_event(),
        lambda work, each: work.device.create_stream().signal(each, 1),  # type: ignore[arg-type]
    ),
    "schedule": (
        lambda work: work.filling(work.ints(), 1),
        lambda _, each: each.run(timeout=LONG),  # type: ignore[attr-defined]
    ),
    "library": (
        lambda work: work.load("elements"),
        lambda _, each: each.get_kernel("fill_i32"),  # type: ignore[attr-defined]
    ),
}


@pytest.mark.promise("thread-close")
@pytest.mark.parametrize("kind", CLOSED)
def test_what_another_thread_closes_works_or_says_so(work: Workbench, kind: str) -> None:
    make, use = CLOSED[kind]
    for _ in range(10):
        each = make(work)

        def act(number: int, each: object = each) -> None:
            if number == 0:
                each.close()  # type: ignore[attr-defined]
                return
            for _ in range(10):
                found = attempted(lambda: use(work, each))
                if isinstance(found, nexus.NexusError):
                    told = "closed" in str(found)
                    assert told or found.status == nexus.status.NXS_Cancelled, found

        together(act, 4)
    work.device.synchronize(LONG)
    assert values(work.ints(2)) == {2}


@pytest.mark.promise("thread-no-lock")
def test_a_thread_that_waits_keeps_nobody_from_using_the_same_objects(work: Workbench) -> None:
    stream, event = work.device.create_stream(), work.device.create_event()
    number = work.ints(1)
    stream.wait(event, 1)
    number.fill(2, stream=stream, blocking=False)
    waits: list[Callable[[], object]] = [
        lambda: stream.synchronize(LONG),
        lambda: event.wait(1, LONG),
        lambda: work.device.synchronize(LONG),
        lambda: number.numpy(),
        lambda: work.device.copy_buffer(number),
        # Into memory of its own: nothing orders it behind the copies of `number`.
        lambda: work.filling(work.ints(1), 3).run(stream, timeout=LONG),
    ]
    threads = [threading.Thread(target=wait, daemon=True) for wait in waits]
    for thread in threads:
        thread.start()
    for i in range(20):
        other = work.device.create_stream()
        result = work.ints()
        work.filling(result, i).run(other, timeout=LONG)
        assert result.shape == (COUNT,)
        assert not event.is_done
        assert not stream.is_idle
    event.signal(1)
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()


@pytest.mark.promise("thread-end")
def test_what_a_thread_made_is_used_after_its_end(work: Workbench) -> None:
    made: list[tuple[nexus.Stream, nexus.Schedule, nexus.Buffer, nexus.Event]] = []

    def make() -> None:
        stream, out, go = work.device.create_stream(), work.ints(), work.device.create_event()
        schedule = work.filling(out, 4)
        stream.wait(go, 1)
        schedule.run(stream, blocking=False)
        made.append((stream, schedule, out, go))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join(LONG)
    stream, schedule, out, go = made[0]
    go.signal(1)
    stream.synchronize(LONG)
    assert values(out) == {4}
    out.fill(0)
    schedule.run(stream, timeout=LONG)
    assert values(out) == {4}


@pytest.mark.promise("thread-end")
def test_many_threads_that_use_nexus_once_and_end(work: Workbench) -> None:
    host = np.zeros((40, COUNT), np.int32)

    def use(number: int) -> None:
        work.ints(number).copy(host[number])

    for number in range(40):
        thread = threading.Thread(target=use, args=(number,))
        thread.start()
        thread.join(LONG)
    assert np.array_equal(host[:, 0], np.arange(40))
