# SPDX-License-Identifier: Apache-2.0
"""Streams: tickets and their states."""

from __future__ import annotations

import ctypes
import time

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, Work, part, pattern

_DONE = N()["NXS_CompletionState_Completed"]
_RUNNING = N()["NXS_CompletionState_Running"]


def submit(bench: Bench, stream: int, buffer: int, way: str) -> int:
    """Submits work of a kind; returns its ticket."""
    native = bench.native
    memory = ctypes.create_string_buffer(16)
    if way == "CopyBuffer" or way == "WriteBuffer":
        ticket = native.get(way, buffer, 0, memory, 16, stream)
    elif way == "FillBuffer":
        ticket = native.get(way, stream, part(buffer, 0, 64), pattern(b"a"), 1)
    elif way == "SignalEvent":
        ticket = native.get(way, bench.event(), stream)
    else:
        schedule = bench.schedule()
        bench.fill_command(schedule, buffer, 1, 4)
        ticket = native.get("RunSchedule", schedule, stream, 0)
    bench.finish(stream, ticket)
    return int(ticket)


@pytest.mark.parametrize(
    "way", ["CopyBuffer", "WriteBuffer", "FillBuffer", "SignalEvent", "RunSchedule"]
)
def test_the_first_ticket_is_1(bench: Bench, way: str) -> None:
    assert submit(bench, bench.stream(), bench.buffer(64), way) == 1


def test_each_ticket_is_greater_than_the_one_before(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(64)
    ways = ["CopyBuffer", "FillBuffer", "SignalEvent", "RunSchedule", "WriteBuffer"] * 3
    tickets = [submit(bench, stream, buffer, way) for way in ways]
    assert tickets == sorted(set(tickets))


def test_each_stream_counts_for_itself(bench: Bench) -> None:
    buffer = bench.buffer(64)
    for stream in (bench.stream(), bench.stream()):
        assert submit(bench, stream, buffer, "FillBuffer") == 1


def test_a_ticket_that_is_completed_completes_all_smaller_ones(bench: Bench) -> None:
    stream = bench.stream()
    tickets = [bench.long_work(1 << 16, stream).ticket for _ in range(8)]
    seen = set()
    while True:
        states = [bench.state(stream, ticket) for ticket in reversed(tickets)]
        states.reverse()  # asked from the newest on, so that the older ones are at least as far
        assert states == sorted(states, reverse=True), states
        seen.add(tuple(states))
        if states[-1] == _DONE:
            break
    assert tuple([_DONE] * 8) in seen


def test_a_completion_tells_the_newest_ticket_known_complete(bench: Bench) -> None:
    stream = bench.stream()
    tickets = [bench.long_work(1 << 14, stream).ticket for _ in range(4)]
    for ticket in tickets:
        done = bench.wait(stream, ticket)
        assert done.state == _DONE
        assert done.status == 0
        assert done.error == 0
        assert ticket <= done.completed <= tickets[-1]


def test_ticket_0_of_a_new_stream_is_completed(bench: Bench) -> None:
    stream = bench.stream()
    assert bench.state(stream, 0) == _DONE
    done = bench.native.get("WaitStream", stream, 0, 10_000_000_000)
    assert (done.state, done.completed) == (_DONE, 0)


def test_ticket_0_asks_for_the_newest(bench: Bench) -> None:
    def ask(work: Work) -> tuple[int, int]:
        return bench.state(work.stream, 0), bench.state(work.stream, work.ticket)

    assert bench.while_running(ask) == (_RUNNING, _RUNNING)


@pytest.mark.parametrize("name", ["QueryStream", "WaitStream"])
@pytest.mark.parametrize("beyond", [1, 2, 1 << 32, (1 << 64) - 1])
def test_a_ticket_that_was_never_given_is_refused(bench: Bench, name: str, beyond: int) -> None:
    for works in (0, 2):
        stream, buffer = bench.stream(), bench.buffer(64)
        newest = 0
        for _ in range(works):
            newest = submit(bench, stream, buffer, "FillBuffer")
        timeout = [0] if name == "WaitStream" else []
        ticket = min(newest + beyond, (1 << 64) - 1)
        bench.native.refuse("NXS_InvalidValue", name, stream, ticket, *timeout)


@pytest.mark.parametrize("timeout", [0, 1, 1000, 1_000_000])
def test_a_wait_that_runs_out_is_no_error(bench: Bench, timeout: int) -> None:
    def wait(work: Work) -> int:
        return int(bench.native.get("WaitStream", work.stream, work.ticket, timeout).state)

    assert bench.while_running(wait) == _RUNNING


def test_a_wait_lasts_until_the_work_is_done(bench: Bench) -> None:
    """A wait with a timeout of an hour returns when the work is done."""
    work = bench.long_work(1 << 22)
    done = bench.native.get("WaitStream", work.stream, work.ticket, 3600 * 10**9)
    assert done.state == _DONE
    assert bench.state(work.stream, work.ticket) == _DONE


def test_a_wait_with_no_end_comes_back(bench: Bench) -> None:
    work = bench.long_work(1 << 20)
    end = time.monotonic() + bench.native.wait_seconds
    while bench.native.get("WaitStream", work.stream, 0, (1 << 64) - 1).state == _RUNNING:
        assert time.monotonic() < end


def test_a_wait_that_has_its_time_sees_the_end(bench: Bench) -> None:
    """The work's results are visible when the wait returns, without another call."""
    buffer, stream = bench.buffer(bytes(1 << 20)), bench.stream()
    memory = ctypes.create_string_buffer(1 << 20)
    for value in range(1, 20):
        bench.fill(stream, buffer, 1 << 20, bytes([value]))
        ticket = bench.native.get("CopyBuffer", buffer, 0, memory, 1 << 20, stream)
        bench.finish(stream, ticket)
        assert memory.raw == bytes([value]) * (1 << 20)


def test_streams_do_not_wait_for_each_other(bench: Bench) -> None:
    def other(_: Work) -> int:
        return bench.fill(bench.stream(), bench.buffer(64), 64, b"a")

    assert bench.while_running(other) == 1


def test_priority_0_is_taken(bench: Bench) -> None:
    assert bench.stream(0) > 0


def test_a_priority_that_there_is_not_is_refused(bench: Bench) -> None:
    for priority in (1 << 20, -(1 << 20), (1 << 31) - 1, -(1 << 31)):
        bench.native.refuse("NXS_InvalidValue", "CreateStream", bench.device, priority)


def test_many_streams_can_be_made_and_released(bench: Bench) -> None:
    streams = [bench.stream() for _ in range(64)]
    buffer = bench.buffer(64 * 4)
    tickets = [bench.fill(each, buffer, 4, bytes([at]), 4 * at) for at, each in enumerate(streams)]
    for stream, ticket in zip(streams, tickets, strict=True):
        bench.finish(stream, ticket)
    assert bench.read(buffer, 256) == b"".join(bytes([at]) * 4 for at in range(64))


def test_a_released_stream_finishes_its_work(bench: Bench) -> None:
    stream, other, event = bench.stream(), bench.stream(), bench.event()
    work = bench.long_work(1 << 22, stream)
    bench.native.get("SignalEvent", event, stream)
    bench.release("Stream", stream)
    bench.native.refuse("NXS_InvalidStream", "QueryStream", stream, work.ticket)
    bench.native.get("WaitEvent", event, other)
    bench.finish(other)
    assert bench.read(work.buffer, 4, stream=other) != b"\x07\0\0\0"
