# SPDX-License-Identifier: Apache-2.0
"""Host functions of schedules: their place, what they may do, their failures and their lifetime."""

from __future__ import annotations

import gc
import queue
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Obstacle, Workbench, refused, values

Calls = queue.Queue[Any]


@pytest.fixture
def calls() -> Calls:
    return queue.Queue()


def nothing() -> None:
    """Does nothing."""


# ---- Its place ----


@pytest.mark.promise("host-order")
def test_a_function_is_called_in_its_place(work: Workbench, calls: Calls) -> None:
    number, twice, schedule = work.ints(1), work.ints(), work.device.create_schedule()
    work.add(schedule, number, number, twice)
    schedule.create_host_command(lambda name: calls.put((name, values(twice))), "doubled")
    work.copy(schedule, twice, number)
    for expected in (2, 4, 8):
        schedule.run(timeout=LONG)
        assert calls.get_nowait() == ("doubled", {expected})
    assert values(number) == {8}


@pytest.mark.promise("host-order")
def test_what_follows_waits_for_it(work: Workbench) -> None:
    number, copied, go = work.ints(), work.ints(), threading.Event()
    schedule, stream = work.device.create_schedule(), work.device.create_stream()

    def later() -> None:
        go.wait(LONG)
        number.copy_from(np.full(COUNT, 5, np.int32))

    schedule.create_host_command(later)
    work.copy(schedule, number, copied)
    schedule.run(stream, blocking=False)
    assert not stream.is_idle
    go.set()
    stream.synchronize(LONG)
    assert values(copied) == {5}


@pytest.mark.promise("host-order")
def test_it_waits_for_earlier_work_of_the_stream(obstacle: Obstacle, calls: Calls) -> None:
    work = obstacle.work
    stream, number, schedule = (
        work.device.create_stream(),
        work.ints(),
        work.device.create_schedule(),
    )
    schedule.create_host_command(lambda: calls.put(values(number)))
    with obstacle.before(stream) as release:
        work.filling(number, 3).run(stream, blocking=False)
        schedule.run(stream, blocking=False)
        if not obstacle.running:
            assert calls.empty()
        release()
        stream.synchronize(LONG)
    assert calls.get_nowait() == {3}


@pytest.mark.promise("host-order", "replay-resubmit")
def test_calls_of_one_schedule_do_not_overlap(work: Workbench, calls: Calls) -> None:
    schedule, count = work.device.create_schedule(), [0]

    def counted() -> None:
        number = count[0]
        threading.Event().wait(0.001)
        count[0] = number + 1

    schedule.create_host_command(counted)
    streams = [work.device.create_stream() for _ in range(3)]
    for _ in range(5):
        for stream in streams:
            schedule.run(stream, blocking=False)
    work.device.synchronize(LONG)
    assert count == [15]
    assert schedule.get_property_int("RunCount") == 15


@pytest.mark.promise("host-order", "nest-order")
def test_a_nested_schedule_calls_it_in_each_run(work: Workbench, calls: Calls) -> None:
    number, inner = work.ints(), work.device.create_schedule()
    work.fill(inner, number, 1)
    inner.create_host_command(lambda: calls.put(values(number)))
    outer = work.device.create_schedule()
    work.fill(outer, number, 2)
    outer.create_schedule_command(inner)
    outer.create_host_command(calls.put, "between")
    outer.create_schedule_command(inner)
    outer.run(timeout=LONG)
    assert [calls.get_nowait() for _ in range(3)] == [{1}, "between", {1}]
    assert calls.empty()


@pytest.mark.promise("host-order")
def test_a_command_says_who_replays_it(work: Workbench) -> None:
    number, schedule = work.ints(), work.device.create_schedule()
    kernel = work.fill(schedule, number, 1)
    function = schedule.create_host_command(nothing)
    signal = schedule.create_signal_command(work.device.create_event())
    nested = work.device.create_schedule()
    command = nested.create_schedule_command(work.filling(number, 1))
    other = nested.create_schedule_command(schedule)
    replays = [
        each.get_property_str("Replay") for each in (kernel, function, signal, command, other)
    ]
    assert replays == ["native", "host", "host", "native", "host"]
    assert function.type == nexus.command_type.Host
    assert function.get_property_str("Name") == "nothing"


# ---- What it may do ----


@pytest.mark.promise("host-use")
def test_it_reads_and_writes_what_the_run_uses(work: Workbench) -> None:
    number, doubled = work.ints(), work.ints()
    schedule, stream = work.device.create_schedule(), work.device.create_stream()

    def triple() -> None:
        number.copy_from(number.numpy() * 3)

    work.fill(schedule, number, 2)
    schedule.create_host_command(triple)
    work.add(schedule, number, number, doubled)
    for _ in range(3):
        schedule.run(stream, blocking=False)
    stream.synchronize(LONG)
    assert values(doubled) == {12}


@pytest.mark.promise("host-use")
def test_it_runs_other_schedules_and_waits_for_them(work: Workbench, calls: Calls) -> None:
    number, inner, outer = work.ints(), work.device.create_schedule(), work.device.create_schedule()
    stream = work.device.create_stream()
    work.fill(inner, number, 4)
    inner.create_host_command(calls.put, "inner")
    outer.create_host_command(lambda: inner.run(stream, timeout=LONG))
    outer.create_host_command(lambda: calls.put(values(number)))
    outer.run(timeout=LONG)
    assert [calls.get_nowait() for _ in range(2)] == ["inner", {4}]


@pytest.mark.promise("host-use")
def test_functions_of_many_streams_may_wait_for_each_other(work: Workbench) -> None:
    together = threading.Barrier(20)
    for _ in range(20):
        schedule = work.device.create_schedule()
        schedule.create_host_command(together.wait, LONG)
        schedule.run(work.device.create_stream(), blocking=False)
    work.device.synchronize(LONG)
    assert not together.broken


@pytest.mark.promise("host-use")
@pytest.mark.parametrize("waits", ["stream", "run", "device"])
def test_it_can_not_wait_for_what_comes_after_it(work: Workbench, waits: str) -> None:
    schedule, stream = work.device.create_schedule(), work.device.create_stream()
    filling = work.filling(work.ints(), 1)
    errors = []

    def wait() -> None:
        wait_for = {
            "stream": stream.synchronize,
            "run": lambda: filling.run(stream),
            "device": work.device.synchronize,
        }
        errors.append(refused(wait_for[waits]))

    schedule.create_host_command(wait)
    schedule.run(stream, timeout=LONG)
    assert errors[0].status == nexus.status.NXS_InvalidOperation
    assert "after the function" in str(errors[0])
    work.device.synchronize(LONG)


# ---- Failures ----


@pytest.mark.promise("host-failure")
def test_an_exception_fails_the_run(work: Workbench) -> None:
    first, last, schedule = work.ints(), work.ints(), work.device.create_schedule()
    stream, other = work.device.create_stream(), work.device.create_stream()

    def divide(by: int) -> float:
        return 1 / by

    work.fill(schedule, first, 1)
    schedule.create_host_command(divide, 0)
    work.fill(schedule, last, 1)
    error = refused(lambda: schedule.run(stream, timeout=LONG))
    name = schedule.get_property_str("Name").capitalize()
    place = f"{name}, run 1: command 1 (host function '{divide.__qualname__}')"
    assert str(error) == f"{place} failed: ZeroDivisionError: division by zero"
    cause = str(error.__cause__)
    assert "return 1 / by" in cause
    assert "in divide" in cause
    assert refused(lambda: stream.synchronize(LONG)).status == error.status
    stream.close()
    assert (values(first), values(last)) == ({1}, {0})
    work.filling(last, 2).run(other, timeout=LONG)
    assert values(last) == {2}


@pytest.mark.promise("host-failure")
def test_it_is_not_called_after_a_failure_before_it(work: Workbench, calls: Calls) -> None:
    stream, schedule = work.device.create_stream(), work.device.create_schedule()

    def fail() -> None:
        raise LookupError("first")

    schedule.create_host_command(fail)
    schedule.create_host_command(calls.put, "second")
    error = refused(lambda: schedule.run(stream, timeout=LONG))
    assert "LookupError: first" in str(error)
    stream.close()
    assert calls.empty()


@pytest.mark.promise("host-failure")
def test_it_is_not_called_when_its_stream_is_closed_before_it(
    work: Workbench, calls: Calls
) -> None:
    stream, schedule = work.device.create_stream(), work.device.create_schedule()
    event = work.device.create_event()
    schedule.create_wait_command(event, 1)
    schedule.create_host_command(calls.put, "called")
    schedule.run(stream, blocking=False)
    stream.close()
    event.signal(1)
    work.device.synchronize(LONG)
    assert calls.empty()


@pytest.mark.promise("host-failure")
@pytest.mark.parametrize("function", [None, 1, "print"])
def test_what_can_not_be_called_is_refused(work: Workbench, function: Any) -> None:
    schedule = work.device.create_schedule()
    with pytest.raises(TypeError, match="function has to be a callable"):
        schedule.create_host_command(function)
    assert schedule.get_property_int("Size") == 0


# ---- Lifetime ----


class Tracked:
    """Can be called, and referred to weakly."""

    def __call__(self, *args: object) -> None:
        """Does nothing."""


@pytest.mark.promise("host-lifetime")
@pytest.mark.parametrize("ends", ["close", "collected"])
def test_the_schedule_keeps_the_function_and_its_arguments(work: Workbench, ends: str) -> None:
    function, argument, schedule = Tracked(), Tracked(), work.device.create_schedule()
    kept = [weakref.ref(function), weakref.ref(argument)]
    command = schedule.create_host_command(function, argument)
    del function, argument
    gc.collect()
    schedule.run(timeout=LONG)
    assert None not in [each() for each in kept]
    if ends == "close":
        schedule.close()
    del schedule, command
    gc.collect()
    assert [each() for each in kept] == [None, None]


@pytest.mark.promise("host-lifetime")
def test_a_run_goes_on_after_its_schedule_and_stream_are_closed(work: Workbench) -> None:
    number, go = work.ints(), threading.Event()
    stream, schedule = work.device.create_stream(), work.device.create_schedule()
    schedule.create_host_command(go.wait, LONG)
    work.fill(schedule, number, 6)
    schedule.create_host_command(lambda: number.copy_from(number.numpy() + 1))
    schedule.run(stream, blocking=False)
    schedule.close()
    stream.close()
    go.set()
    work.device.synchronize(LONG)
    assert values(number) == {7}
