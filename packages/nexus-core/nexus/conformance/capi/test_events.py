# SPDX-License-Identifier: Apache-2.0
"""Events: set once, cleared by the next signal, waited for by any stream, and their times."""

from __future__ import annotations

import ctypes
import math
import struct
import time

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, Work, part, pattern

_DONE = N()["NXS_CompletionState_Completed"]
_RUNNING = N()["NXS_CompletionState_Running"]


def test_an_event_that_was_never_signalled_is_refused(bench: Bench) -> None:
    event, stream = bench.event(), bench.stream()
    refuse = bench.native.refuse
    refuse("NXS_InvalidOperation", "QueryEvent", event)
    refuse("NXS_InvalidOperation", "SynchronizeEvent", event, 0)
    refuse("NXS_InvalidOperation", "WaitEvent", event, stream)
    bench.finish(stream)  # a refused wait holds nothing back


def test_a_signal_on_an_idle_stream_happens(bench: Bench) -> None:
    event, stream = bench.event(), bench.stream()
    ticket = bench.native.get("SignalEvent", event, stream)
    done = bench.wait_event(event)
    assert (done.state, done.status, done.completed) == (_DONE, 0, 0)
    bench.finish(stream, ticket)
    assert bench.native.get("QueryEvent", event).state == _DONE


def test_an_event_is_not_set_before_the_work_before_it(bench: Bench) -> None:
    event = bench.event()

    def signal(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        return int(bench.native.get("QueryEvent", event).state)

    assert bench.while_running(signal) == _RUNNING
    assert bench.wait_event(event).state == _DONE


def test_the_next_signal_clears_the_event(bench: Bench) -> None:
    event, idle = bench.event(), bench.stream()
    bench.native.get("SignalEvent", event, idle)
    assert bench.wait_event(event).state == _DONE

    def signal(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        return int(bench.native.get("QueryEvent", event).state)

    assert bench.while_running(signal) == _RUNNING
    assert bench.wait_event(event).state == _DONE


@pytest.mark.parametrize("timeout", [0, 1, 1_000_000])
def test_a_wait_of_the_host_that_runs_out_is_no_error(bench: Bench, timeout: int) -> None:
    event = bench.event()

    def wait(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        return int(bench.native.get("SynchronizeEvent", event, timeout).state)

    assert bench.while_running(wait) == _RUNNING


def test_a_stream_waits_for_the_signal_of_another(bench: Bench) -> None:
    """The copy comes after the other stream's kernel, however long that takes."""
    event, waiting = bench.event(), bench.stream()
    memory = ctypes.create_string_buffer(4)

    def enqueue(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        bench.native.get("WaitEvent", event, waiting)
        ticket = bench.native.get("CopyBuffer", work.buffer, 0, memory, 4, waiting)
        # On a busy machine, a copy that does not wait may need so long to begin.
        return int(bench.native.get("WaitStream", waiting, ticket, 100_000_000).state)

    assert bench.while_running(enqueue) == _RUNNING
    bench.finish(waiting)
    assert memory.raw != struct.pack("<I", 7)


def test_a_stream_that_waits_does_not_hold_up_the_one_that_signals(bench: Bench) -> None:
    first, second = bench.stream(), bench.stream()
    there, back = bench.event(), bench.event()
    native = bench.native
    for _ in range(50):
        native.get("SignalEvent", there, first)
        native.get("WaitEvent", there, second)
        native.get("SignalEvent", back, second)
        native.get("WaitEvent", back, first)
    bench.finish(first)
    bench.finish(second)


def test_a_wait_in_the_stream_that_signals_is_no_deadlock(bench: Bench) -> None:
    event, stream = bench.event(), bench.stream()
    bench.native.get("SignalEvent", event, stream)
    bench.native.get("WaitEvent", event, stream)
    bench.finish(stream)


def test_a_wait_waits_for_the_newest_signal(bench: Bench) -> None:
    """An earlier signal does not end the wait: signalling again clears the event."""
    event, idle, waiting = bench.event(), bench.stream(), bench.stream()
    bench.native.get("SignalEvent", event, idle)
    assert bench.wait_event(event).state == _DONE

    def enqueue(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        ticket = bench.native.get("WaitEvent", event, waiting)
        return bench.state(waiting, ticket)

    assert bench.while_running(enqueue) == _RUNNING
    bench.finish(waiting)


def test_a_wait_keeps_to_the_signal_of_its_time(bench: Bench) -> None:
    """A signal that is submitted after the wait does not delay it."""
    event, idle, waiting = bench.event(), bench.stream(), bench.stream()
    bench.native.get("SignalEvent", event, idle)
    first = bench.native.get("WaitEvent", event, waiting)

    def signal_again(work: Work) -> int:
        bench.native.get("SignalEvent", event, work.stream)
        bench.finish(waiting, first)
        return bench.state(work.stream, work.ticket)

    assert bench.while_running(signal_again) == _RUNNING


def test_many_streams_wait_for_one_signal(bench: Bench) -> None:
    event, target = bench.event(), bench.buffer(bytes(16))
    work = bench.long_work(1 << 22)
    bench.native.get("SignalEvent", event, work.stream)
    waiting = [bench.stream() for _ in range(4)]
    for at, stream in enumerate(waiting):
        bench.native.get("WaitEvent", event, stream)
        ranges = part(target, 4 * at, 4), part(work.buffer, 0, 4)
        bench.native.get("TransferBuffer", stream, *ranges)
    for stream in waiting:
        bench.finish(stream)
    result = bench.read(work.buffer, 4)
    assert result != struct.pack("<I", 7)
    assert bench.read(target, 16) == result * 4


def test_a_released_event_still_orders(bench: Bench) -> None:
    event, waiting = bench.event(), bench.stream()
    memory = ctypes.create_string_buffer(4)
    work = bench.long_work(1 << 22)
    bench.native.get("SignalEvent", event, work.stream)
    bench.native.get("WaitEvent", event, waiting)
    bench.release("Event", event)
    bench.native.refuse("NXS_InvalidEvent", "QueryEvent", event)
    bench.finish(waiting, bench.native.get("CopyBuffer", work.buffer, 0, memory, 4, waiting))
    assert memory.raw != struct.pack("<I", 7)


def test_an_event_that_happened_stays_so_when_its_stream_is_released(bench: Bench) -> None:
    event, stream = bench.event(), bench.stream()
    bench.native.get("SignalEvent", event, stream)
    assert bench.wait_event(event).state == _DONE
    bench.release("Stream", stream)
    assert bench.native.get("QueryEvent", event).state == _DONE


def test_the_host_sees_what_came_before_a_signal(bench: Bench) -> None:
    event, stream, buffer = bench.event(), bench.stream(), bench.buffer(bytes(1 << 16))
    memory = ctypes.create_string_buffer(1 << 16)
    for value in range(1, 30):
        where = part(buffer, 0, 1 << 16)
        bench.native.get("FillBuffer", stream, where, pattern(bytes([value])), 1)
        bench.native.get("CopyBuffer", buffer, 0, memory, 1 << 16, stream)
        bench.native.get("SignalEvent", event, stream)
        assert bench.wait_event(event).state == _DONE
        assert memory.raw == bytes([value]) * (1 << 16)


# ---- Time ----


def timed(bench: Bench, stream: int) -> int:
    """Makes an event with timing and signals it."""
    event = bench.event(timing=True)
    bench.native.get("SignalEvent", event, stream)
    return event


@pytest.mark.needs("Timing")
def test_time_passes_between_two_signals(bench: Bench) -> None:
    stream = bench.stream()
    started = time.monotonic_ns()
    start = timed(bench, stream)
    bench.long_work(1 << 22, stream)
    end = timed(bench, stream)
    assert bench.wait_event(end).state == _DONE
    limit = time.monotonic_ns() - started
    elapsed = bench.native.get("GetElapsedTime", start, end)
    assert math.isfinite(elapsed)
    assert 0 < elapsed <= 1.01 * limit + 1e6, f"{elapsed} ns within {limit} ns of the host's clock"


@pytest.mark.needs("Timing")
def test_more_work_between_two_signals_takes_longer(bench: Bench) -> None:
    """Finds a clock that stands still or does not count nanoseconds."""
    elapsed = []
    for turns in (1 << 12, 1 << 25):
        stream = bench.stream()
        start = timed(bench, stream)
        bench.long_work(turns, stream)
        end = timed(bench, stream)
        bench.wait_event(end)
        elapsed.append(bench.native.get("GetElapsedTime", start, end))
    assert elapsed[0] < elapsed[1]


@pytest.mark.needs("Timing")
def test_the_time_from_an_event_to_itself_is_0_and_backwards_it_is_negative(bench: Bench) -> None:
    stream = bench.stream()
    start = timed(bench, stream)
    bench.long_work(1 << 20, stream)
    end = timed(bench, stream)
    bench.wait_event(end)
    there, back = (
        bench.native.get("GetElapsedTime", *ends) for ends in ((start, end), (end, start))
    )
    assert bench.native.get("GetElapsedTime", start, start) == 0
    assert there > 0
    assert back == pytest.approx(-there)


@pytest.mark.needs("Timing")
def test_the_time_of_an_event_without_timing_is_refused(bench: Bench) -> None:
    stream, plain = bench.stream(), bench.event()
    bench.native.get("SignalEvent", plain, stream)
    bench.wait_event(plain)
    other = timed(bench, stream)
    bench.wait_event(other)
    for ends in ((plain, other), (other, plain), (plain, plain)):
        bench.native.refuse("NXS_ProfilingInfoNotAvailable", "GetElapsedTime", *ends)


@pytest.mark.needs("Timing")
def test_the_time_of_a_signal_that_was_not_is_refused(bench: Bench) -> None:
    stream, never = bench.stream(), bench.event(timing=True)
    other = timed(bench, stream)
    bench.wait_event(other)
    for ends in ((never, other), (other, never)):
        bench.native.refuse("NXS_InvalidOperation", "GetElapsedTime", *ends)


@pytest.mark.needs("Timing")
def test_the_time_of_a_signal_that_has_not_happened_is_refused(bench: Bench) -> None:
    other = timed(bench, bench.stream())
    bench.wait_event(other)

    def ask(work: Work) -> set[str]:
        late = timed(bench, work.stream)
        return {
            bench.native.try_("GetElapsedTime", *ends) for ends in ((other, late), (late, other))
        }

    assert bench.while_running(ask) == {"NXS_InvalidOperation"}


def test_a_setting_of_events_that_nobody_knows_is_refused(bench: Bench) -> None:
    bench.native.refuse("NXS_NotSupported", "CreateEvent", bench.device, 1 << 40)
