# SPDX-License-Identifier: Apache-2.0
"""Times: present if claimed, never negative, longer for more work."""

from __future__ import annotations

from functools import partial

import pytest

import nexus
from nexus.conformance.api.workbench import LONG, Workbench, refused

pytestmark = pytest.mark.needs("Timing")


@pytest.mark.promise("event-elapsed")
def test_the_time_between_events_grows_with_the_work_between(work: Workbench) -> None:
    stream, spinning = work.device.create_stream(), work.spinning()
    events = [stream.record()]
    for _ in range(3):
        spinning.run(stream, blocking=False)
        events.append(stream.record())
    stream.synchronize(LONG)
    times = [end.elapsed_ms(events[0]) for end in events]
    assert times[0] == 0
    assert times == sorted(times)
    assert times[1] > 0
    inner = events[2].elapsed_ms(events[1])
    assert 0 < inner <= times[3]
    assert times[1] + inner + events[3].elapsed_ms(events[2]) == pytest.approx(times[3], abs=0.01)


@pytest.mark.promise("event-elapsed")
def test_events_made_with_timing_are_timed(work: Workbench) -> None:
    stream = work.device.create_stream()
    start, end = (work.device.create_event(timing=True) for _ in range(2))
    stream.signal(start, 1)
    work.spinning().run(stream, blocking=False)
    stream.signal(end, 1)
    stream.synchronize(LONG)
    assert end.elapsed_ms(start) > 0


@pytest.mark.promise("event-elapsed")
def test_times_of_two_streams_are_of_one_clock(work: Workbench) -> None:
    one, other = (work.device.create_stream() for _ in range(2))
    start = one.record()
    work.spinning().run(one, blocking=False)
    other.wait(one)
    end = other.record()
    other.synchronize(LONG)
    assert end.elapsed_ms(start) > 0


@pytest.mark.promise("event-elapsed")
def test_what_an_event_without_a_time_lacks_is_said(work: Workbench) -> None:
    stream, go = work.device.create_stream(), work.device.create_event()
    recorded = stream.record()
    untimed, unrecorded = work.device.create_event(), work.device.create_event(timing=True)
    stream.signal(untimed, 1)
    stream.synchronize(LONG)
    stream.wait(go, 1)
    unfinished = stream.record()
    expected = {
        untimed: nexus.status.NXS_ProfilingInfoNotAvailable,
        unrecorded: nexus.status.NXS_InvalidOperation,
        unfinished: nexus.status.NXS_InvalidOperation,
    }
    texts = set()
    for event, status in expected.items():
        error = refused(partial(event.elapsed_ms, recorded))
        assert error.status == status
        texts.add(str(error))
    assert len(texts) == 3
    go.signal(1)
    stream.synchronize(LONG)
    assert unfinished.elapsed_ms(recorded) >= 0


@pytest.mark.promise("replay-timed")
def test_a_timed_run_tells_its_time(work: Workbench) -> None:
    schedule, stream = work.spinning(), work.device.create_stream()
    error = refused(lambda: schedule.elapsed_ms)
    assert error.status == nexus.status.NXS_ProfilingInfoNotAvailable
    before = stream.record()
    schedule.run(stream, timing=True, timeout=LONG)
    after = stream.record()
    stream.synchronize(LONG)
    assert 0 < schedule.elapsed_ms <= after.elapsed_ms(before) + 0.01


@pytest.mark.promise("replay-timed")
def test_the_time_of_a_run_is_that_of_all_its_commands(work: Workbench) -> None:
    stream, mid = work.device.create_stream(), work.device.create_event(timing=True)
    end = work.device.create_event(timing=True)
    schedule = work.spinning()
    schedule.create_signal_command(mid)
    spin = schedule.create_command(work.kernels["spin"])
    spin.set_buffer(0, work.device.create_buffer((1,), dtype="uint32"))
    spin.set_arg(1, work.turns())
    spin.finalize(1, 1)
    schedule.create_signal_command(end)
    schedule.run(stream, timing=True, timeout=LONG)
    assert 0 < end.elapsed_ms(mid) <= schedule.elapsed_ms + 0.01


@pytest.mark.promise("replay-timed")
def test_the_time_is_that_of_the_newest_run(work: Workbench) -> None:
    stream, go = work.device.create_stream(), work.device.create_event()
    schedule = work.filling(work.ints(), 1)
    for _ in range(3):
        schedule.run(stream, timing=True, timeout=LONG)
        assert schedule.elapsed_ms >= 0
    stream.wait(go, 1)
    schedule.run(stream, timing=True, blocking=False)
    error = refused(lambda: schedule.elapsed_ms)
    assert error.status == nexus.status.NXS_InvalidOperation
    go.signal(1)
    stream.synchronize(LONG)
    assert schedule.elapsed_ms >= 0
