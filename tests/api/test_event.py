# SPDX-License-Identifier: Apache-2.0
"""Events."""

from __future__ import annotations

import pytest

import nexus


@pytest.fixture
def event(device: nexus.Device) -> nexus.Event:
    return device.create_event(nexus.event_type.Shared)


def test_a_shared_event_is_the_default(device: nexus.Device) -> None:
    assert device.create_event().type == nexus.event_type.Shared


def test_signal_sets_the_value(event: nexus.Event) -> None:
    assert event.signal(5) == nexus.status.NXS_Success
    assert event.value == 5


def test_waiting_for_what_was_reached_returns_success(event: nexus.Event) -> None:
    event.signal(2)
    assert event.wait(1) == nexus.status.NXS_Success


def test_a_value_below_the_events_is_a_value_error(event: nexus.Event) -> None:
    event.signal(5)
    with pytest.raises(ValueError, match="4") as error:
        event.signal(4)
    assert isinstance(error.value, nexus.NexusError)


def test_a_wait_that_runs_out_is_a_timeout(event: nexus.Event) -> None:
    with pytest.raises(TimeoutError) as error:
        event.wait(1, timeout=0.01)
    assert isinstance(error.value, nexus.NexusError)


def test_a_schedule_signals_an_event(doubling: nexus.Schedule, event: nexus.Event) -> None:
    command = doubling.create_signal_command(event, 1)
    doubling.run(blocking=False)
    event.wait(1)
    assert command.get_event() == event
    assert event.value == 1


def test_a_signal_of_the_host_leaves_the_time_of_the_stream(device: nexus.Device) -> None:
    stream, end = device.create_stream(), device.create_event(timing=True)
    start = stream.record()
    stream.signal(end, 1)
    stream.synchronize(60)
    time = end.elapsed_ms(start)
    end.signal(2)
    assert end.elapsed_ms(start) == time
