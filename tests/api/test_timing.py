# SPDX-License-Identifier: Apache-2.0
"""What is measured: events of streams and runs of schedules."""

from __future__ import annotations

from typing import Any

import pytest

import nexus

NO_TIMING = nexus.status.NXS_ProfilingInfoNotAvailable


@pytest.fixture
def stream(device: nexus.Device) -> nexus.Stream:
    return device.create_stream()


def failure(call: Any) -> tuple[nexus.status.Status, str]:
    with pytest.raises(nexus.NexusError) as error:
        call()
    return error.value.status, str(error.value)


def test_record_is_a_signal_event_behind_the_streams_work(
    device: nexus.Device, stream: nexus.Stream
) -> None:
    gate = device.create_event()
    stream.wait(gate, 1)
    event = stream.record()
    assert event.type == nexus.event_type.Signal
    assert event.device is device
    assert not event.is_done
    gate.signal(1)
    event.wait(1, timeout=60)
    assert event.is_done


def test_two_records_tell_the_time_between(
    device: nexus.Device, stream: nexus.Stream, doubling: nexus.Schedule
) -> None:
    start = stream.record()
    doubling.run(stream)
    end = stream.record()
    stream.synchronize()
    assert end.elapsed_ms(start) > 0
    assert end.elapsed_ms(end) == 0
    with pytest.raises(ValueError, match=r"start happened [\d.]+ ms after end; exchange the two"):
        start.elapsed_ms(end)


def test_the_errors_of_elapsed_time_are_distinct(
    device: nexus.Device, stream: nexus.Stream
) -> None:
    recorded = stream.record()
    stream.synchronize()
    untimed = device.create_event()
    stream.signal(untimed, 1)
    stream.synchronize()
    unrecorded = device.create_event(timing=True)
    gate = device.create_event()
    stream.wait(gate, 1)
    unfinished = stream.record()
    errors = [
        failure(lambda event=event: event.elapsed_ms(recorded))
        for event in (untimed, unrecorded, unfinished)
    ]
    assert errors[0][0] == NO_TIMING
    assert [status for status, _ in errors[1:]] == [nexus.status.NXS_InvalidOperation] * 2
    assert len({text for _, text in errors}) == 3
    gate.signal(1)
    stream.synchronize()
    assert unfinished.elapsed_ms(recorded) > 0


def test_an_event_made_with_timing_is_timed(device: nexus.Device, stream: nexus.Stream) -> None:
    start, end = (device.create_event(timing=True) for _ in range(2))
    stream.signal(start, 1)
    stream.signal(end, 1)
    stream.synchronize()
    assert end.elapsed_ms(start) >= 0


def test_the_time_of_a_run_is_a_property(doubling: nexus.Schedule) -> None:
    doubling.run(timing=True)
    assert doubling.elapsed_ms > 0
    assert doubling.get_property_flt("ElapsedTime") == pytest.approx(doubling.elapsed_ms)


def test_a_schedule_that_was_not_timed_has_no_time(doubling: nexus.Schedule) -> None:
    doubling.run()
    assert failure(lambda: doubling.elapsed_ms)[0] == NO_TIMING


def test_a_run_that_has_not_finished_has_no_time_yet(
    device: nexus.Device, doubling: nexus.Schedule, stream: nexus.Stream
) -> None:
    gate = device.create_event()
    stream.wait(gate, 1)
    doubling.run(stream, blocking=False, timing=True)
    assert failure(lambda: doubling.elapsed_ms)[0] == nexus.status.NXS_InvalidOperation
    gate.signal(1)
    stream.synchronize()
    assert doubling.elapsed_ms > 0
