# SPDX-License-Identifier: Apache-2.0
"""What is measured: events of streams and runs of schedules."""

from __future__ import annotations

from typing import Any

import pytest

import nexus


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


def test_the_time_of_a_run_is_a_property(doubling: nexus.Schedule) -> None:
    doubling.run(timing=True)
    assert doubling.elapsed_ms > 0
    assert doubling.get_property_flt("ElapsedTime") == pytest.approx(doubling.elapsed_ms)


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
