# SPDX-License-Identifier: Apache-2.0
"""Captures of a stream: what a stream that captures refuses, and how a capture ends."""

from __future__ import annotations

import struct

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part, pattern
from nexus.conformance.capi.schedules.test_schedules import nest

pytestmark = pytest.mark.needs("Capture")


def begin(bench: Bench, stream: int) -> int:
    """Begins a capture; returns the stream."""
    bench.native.get("BeginCapture", stream)
    return stream


def test_a_capture_of_nothing_is_a_command_of_no_work(bench: Bench) -> None:
    stream, work, schedule = bench.stream(), bench.schedule(), bench.schedule()
    x = bench.buffer(bytes(64))
    command = bench.create("EndCapture", begin(bench, stream), work)
    assert bench.property("Command", command, "Type") == "Captured"
    bench.fill_command(schedule, x, 3, 16)
    nest(bench, schedule, work)
    for _ in range(3):
        bench.run(schedule, stream)
    assert bench.integers(x, 16, stream) == [3] * 16
    bench.run(work, stream)


def test_work_in_the_stream_is_refused_until_the_end(bench: Bench) -> None:
    stream, schedule, x, y = bench.stream(), bench.schedule(), bench.buffer(64), bench.buffer(64)
    bench.fill_command(schedule, x, 3, 16)
    event, signalled = bench.event(), bench.event()
    bench.native.get("SignalEvent", signalled, bench.stream())
    begin(bench, stream)
    where = part(x, 0, 64)
    for name, given in {
        "RunSchedule": (schedule, stream, 0),
        "FillBuffer": (stream, where, pattern(b"1234"), 4),
        "TransferBuffer": (stream, where, part(y, 0, 64)),
        "CopyBuffer": (x, 0, pattern(bytes(64)), 64, stream),
        "WriteBuffer": (x, 0, pattern(bytes(64)), 64, stream),
        "SignalEvent": (event, stream),
        "WaitEvent": (signalled, stream),
    }.items():
        bench.native.refuse("NXS_InvalidOperation", name, *given)
    assert bench.state(stream) == N()["NXS_CompletionState_Completed"]
    bench.create("EndCapture", stream, bench.schedule())
    bench.run(schedule, stream)
    assert bench.integers(x, 16, stream) == [3] * 16


def test_a_second_capture_and_a_second_end_are_refused(bench: Bench) -> None:
    stream, schedule = bench.stream(), bench.schedule()
    bench.native.refuse("NXS_InvalidOperation", "EndCapture", stream, schedule)
    begin(bench, stream)
    bench.native.refuse("NXS_InvalidOperation", "BeginCapture", stream)
    bench.create("EndCapture", stream, schedule)
    bench.native.refuse("NXS_InvalidOperation", "EndCapture", stream, schedule)


def test_an_end_that_fails_ends_the_capture(bench: Bench) -> None:
    stream, x = bench.stream(), bench.buffer(64)
    bench.native.refuse("NXS_InvalidSchedule", "EndCapture", begin(bench, stream), x)
    bench.native.refuse("NXS_InvalidOperation", "EndCapture", stream, bench.schedule())
    bench.fill(stream, x, 64, struct.pack("<i", 5))
    assert bench.integers(x, 16, stream) == [5] * 16


def test_earlier_work_goes_on(bench: Bench) -> None:
    work = bench.long_work(1 << 22)
    begin(bench, work.stream)
    bench.finish(work.stream, work.ticket)
    bench.create("EndCapture", work.stream, bench.schedule())
    bench.finish(work.stream)


def test_a_stream_that_captures_can_be_released(bench: Bench) -> None:
    for _ in range(3):
        stream, x = bench.stream(), bench.buffer(64)
        bench.release("Stream", begin(bench, stream))
        other = bench.stream()  # perhaps the driver's stream that captured
        bench.fill(other, x, 64, struct.pack("<i", 5))
        assert bench.integers(x, 16, other) == [5] * 16


@pytest.mark.needs("ForeignStream")
def test_a_foreign_stream_that_captures_can_be_released(bench: Bench) -> None:
    own, x = bench.stream(), bench.buffer(64)
    handle = calls.native_handle(bench, "Stream", own)
    foreign = bench.create("CreateStreamFromHandle", bench.device, handle)
    bench.release("Stream", begin(bench, foreign))
    bench.fill(own, x, 64, struct.pack("<i", 5))
    assert bench.integers(x, 16, own) == [5] * 16


def test_the_schedule_may_be_released_before_those_that_run_it(bench: Bench) -> None:
    stream, work, schedule = bench.stream(), bench.schedule(), bench.schedule()
    bench.create("EndCapture", begin(bench, stream), work)
    nest(bench, schedule, work)
    bench.release("Schedule", work)
    bench.run(schedule, stream)
