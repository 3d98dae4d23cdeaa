# SPDX-License-Identifier: Apache-2.0
"""Streams and events."""

from __future__ import annotations

import nexus


def test_streams_are_distinct(device: nexus.Device) -> None:
    assert len({device.create_stream(), device.create_stream(), device.default_stream}) == 3


def test_a_stream_knows_its_device(device: nexus.Device) -> None:
    assert device.create_stream().device == device


def test_a_stream_may_wait_for_itself_and_for_one_without_work(device: nexus.Device) -> None:
    stream = device.create_stream()
    stream.wait(stream)
    stream.wait(device.create_stream())
    stream.synchronize(60)


def test_a_signal_of_the_host_leaves_the_time_of_the_stream(device: nexus.Device) -> None:
    stream, end = device.create_stream(), device.create_event(timing=True)
    start = stream.record()
    stream.signal(end, 1)
    stream.synchronize(60)
    time = end.elapsed_ms(start)
    assert end.signal(2) == nexus.status.NXS_Success
    assert end.elapsed_ms(start) == time
