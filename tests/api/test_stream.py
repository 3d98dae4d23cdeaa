# SPDX-License-Identifier: Apache-2.0
"""Streams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus


def test_the_default_stream_is_one_object(device: nexus.Device) -> None:
    assert device.default_stream == device.default_stream


def test_streams_are_distinct(device: nexus.Device) -> None:
    assert len({device.create_stream(), device.create_stream(), device.default_stream}) == 3


def test_a_stream_knows_its_device(device: nexus.Device) -> None:
    assert device.create_stream().device == device


def test_synchronize_waits_for_the_streams_work(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    stream = device.create_stream()
    doubling.run(stream, blocking=False)
    stream.synchronize()
    assert stream.is_idle
    np.testing.assert_array_equal(buffer.numpy(), floats * 2)


def test_synchronize_runs_out_of_time(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    out = device.create_buffer((1,), dtype="float64")
    schedule.create_command(library.get_kernel("spin"), (out, 200_000_000), 1, 1)
    stream = device.create_stream()
    schedule.run(stream, blocking=False)
    with pytest.raises(TimeoutError):
        stream.synchronize(timeout=0.001)
    with pytest.raises(TimeoutError):
        device.synchronize(timeout=0.001)
    stream.synchronize()


def test_a_stream_signals_and_waits(device: nexus.Device) -> None:
    event, stream = device.create_event(), device.create_stream()
    stream.signal(event, 3)
    stream.wait(event, 3)
    stream.synchronize()
    assert event.value == 3


def test_the_default_stream_can_not_be_closed(device: nexus.Device) -> None:
    with pytest.raises(nexus.NexusError) as error:
        device.default_stream.close()
    assert error.value.status == nexus.status.NXS_InvalidOperation


def test_a_closed_stream_is_refused(device: nexus.Device, doubling: nexus.Schedule) -> None:
    with device.create_stream() as stream:
        doubling.run(stream)
    with pytest.raises(nexus.NexusError) as error:
        doubling.run(stream)
    assert error.value.status == nexus.status.NXS_InvalidStream


@pytest.mark.parametrize(("priority", "kind"), [(1.5, TypeError), (2**40, ValueError)])
def test_what_is_no_priority(device: nexus.Device, priority: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="priority"):
        device.create_stream(priority)
