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


def test_a_stream_may_wait_for_itself_and_for_one_without_work(device: nexus.Device) -> None:
    stream = device.create_stream()
    stream.wait(stream)
    stream.wait(device.create_stream())
    stream.synchronize(60)
