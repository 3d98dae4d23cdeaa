# SPDX-License-Identifier: Apache-2.0
"""Threads: any function from any thread, at the same time as any other."""

from __future__ import annotations

import struct
import threading

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N, Native
from nexus.conformance._together import together
from nexus.conformance.capi.bench import Bench, buffer_argument, part, pattern, scalar_argument

_THREADS = 8
_ROUNDS = 60


@pytest.fixture(autouse=True)
def free(native: Native) -> None:
    """Ends the test if the plug-in takes one call at a time, which the core ensures."""
    if native.serialized:
        not_applicable("the plug-in takes one call at a time")


def test_threads_make_and_release_objects(bench: Bench) -> None:
    native = bench.native

    def work(number: int) -> None:
        for round_ in range(_ROUNDS):
            content = struct.pack("<2i", number, round_)
            buffer = native.get("CreateBuffer", bench.device, 8, 0, pattern(content))
            stream = native.get("CreateStream", bench.device, 0)
            event = native.get("CreateEvent", bench.device, 0)
            assert bench.read(buffer, 8, stream=stream) == content
            for kind, made in (("Buffer", buffer), ("Stream", stream), ("Event", event)):
                native.get(f"Release{kind}", made)
                native.refuse(f"NXS_Invalid{kind}", f"Release{kind}", made)

    together(work)


def test_threads_share_a_stream(bench: Bench) -> None:
    """No ticket is issued twice, and all work is done."""
    stream, buffer = bench.stream(), bench.buffer(bytes(4 * _THREADS * _ROUNDS))
    tickets: list[int] = []

    def work(number: int) -> None:
        mine = []
        for round_ in range(_ROUNDS):
            place = part(buffer, 4 * (number * _ROUNDS + round_), 4)
            value = pattern(struct.pack("<i", number * _ROUNDS + round_ + 1))
            mine.append(bench.native.get("FillBuffer", stream, place, value, 4))
        assert mine == sorted(mine)
        bench.finish(stream, mine[-1])
        tickets.extend(mine)

    together(work)
    assert sorted(tickets) == list(range(1, _THREADS * _ROUNDS + 1))
    wanted = list(range(1, _THREADS * _ROUNDS + 1))
    assert bench.integers(buffer, _THREADS * _ROUNDS, stream) == wanted


def test_threads_run_one_schedule_and_no_run_is_lost(bench: Bench) -> None:
    schedule = bench.schedule()
    counter, one = bench.buffer(bytes(4 * 512)), bench.buffer(struct.pack("<i", 1) * 512)
    arguments = [buffer_argument(each, 2048) for each in (counter, one, counter)]
    bench.command(schedule, "add_i32", arguments, 512)
    streams = [bench.stream() for _ in range(_THREADS)]

    def work(number: int) -> None:
        for round_ in range(_ROUNDS):
            settings = N()["NXS_ExecutionSettings_NonBlocking"] if round_ % 2 else 0
            bench.native.get("RunSchedule", schedule, streams[number], settings)
        bench.finish(streams[number])

    together(work)
    assert bench.integers(counter, 512) == [_THREADS * _ROUNDS] * 512


def test_threads_set_arguments_while_others_run_the_schedule(bench: Bench) -> None:
    """A run takes either argument, never a mixture."""
    schedule, out = bench.schedule(), bench.buffer(bytes(8 * 64))
    arguments = [buffer_argument(out, 512), scalar_argument("q", 0)]
    command = bench.command(schedule, "fill_i64", arguments, 64)
    values = [0, -1, 0x5555555555555555, 0x0F0F0F0F0F0F0F0F]
    streams = [bench.stream() for _ in range(_THREADS)]

    def work(number: int) -> None:
        for round_ in range(_ROUNDS):
            if number % 2:
                value = scalar_argument("q", values[(number + round_) % len(values)])
                bench.native.get("SetCommandArgument", command, 1, value)
            else:
                bench.native.get("RunSchedule", schedule, streams[number], 0)
                bench.finish(streams[number])

    together(work)
    found = set(struct.unpack("<64q", bench.read(out, 512)))
    assert len(found) == 1
    assert found <= set(values)


def test_threads_signal_and_wait_for_events(bench: Bench) -> None:
    events = [bench.event() for _ in range(_THREADS)]
    streams = [bench.stream() for _ in range(_THREADS)]
    for event, stream in zip(events, streams, strict=True):
        bench.native.get("SignalEvent", event, stream)

    def work(number: int) -> None:
        for round_ in range(_ROUNDS):
            bench.native.get("SignalEvent", events[number], streams[number])
            other = (number + round_) % _THREADS
            bench.native.get("WaitEvent", events[other], streams[number])
            bench.native.get("QueryEvent", events[other])
            bench.wait_event(events[number])
        bench.finish(streams[number])

    together(work)


def test_threads_wait_for_one_stream(bench: Bench) -> None:
    work = bench.long_work(1 << 24)
    together(lambda number: bench.finish(work.stream, work.ticket))


def test_a_thread_that_waits_keeps_nobody_from_the_stream(bench: Bench) -> None:
    def act(work: object) -> int:
        stream, ticket = work.stream, work.ticket  # type: ignore[attr-defined]
        waiter = threading.Thread(
            target=bench.native.get, args=("WaitStream", stream, ticket, 20 * 10**9)
        )
        waiter.start()
        buffer = bench.buffer(64)
        bench.fill(stream, buffer, 64, b"a")
        state = bench.state(stream, ticket)
        threads.append(waiter)
        return state

    threads: list[threading.Thread] = []
    assert bench.while_running(act) == N()["NXS_CompletionState_Running"]
    for thread in threads:
        thread.join()


def test_a_stale_id_is_refused_while_others_make_new_objects(bench: Bench) -> None:
    native = bench.native
    stale = native.get("CreateBuffer", bench.device, 64, 0, None)
    native.get("ReleaseBuffer", stale)

    def work(number: int) -> None:
        for _ in range(_ROUNDS * 4):
            if number % 2:
                native.get("ReleaseBuffer", native.get("CreateBuffer", bench.device, 64, 0, None))
            else:
                native.refuse("NXS_InvalidBuffer", "GetBufferProperty", stale, N()["NP_Size"])

    together(work)


def test_a_thread_releases_what_others_use(bench: Bench) -> None:
    """Each call succeeds, or refuses the id."""
    native = bench.native
    for _ in range(_ROUNDS // 4):
        buffer = native.get("CreateBuffer", bench.device, 4096, 0, None)
        stream = bench.stream()

        def work(number: int, buffer: int = buffer, stream: int = stream) -> None:
            if number == 0:
                native.get("ReleaseBuffer", buffer)
                return
            for _ in range(5):
                value = pattern(bytes([number]))
                status = native.try_("FillBuffer", stream, part(buffer, 0, 4096), value, 1)
                assert status in ("NXS_Success", "NXS_InvalidBuffer")

        together(work)
        bench.finish(stream)
