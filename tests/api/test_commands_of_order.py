# SPDX-License-Identifier: Apache-2.0
"""Signal, wait and copy commands, waits for streams, and what a launch shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus


def test_prepare_takes_a_stream_or_none(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    doubling.prepare()
    doubling.prepare(device.create_stream())
    np.testing.assert_array_equal(buffer.numpy(), floats)
    doubling.run()
    np.testing.assert_array_equal(buffer.numpy(), floats * 2)


def test_a_command_shows_its_launch(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    command = schedule.create_command(library.get_kernel("scale"), (buffer, 2.0))
    assert (command.group_size, command.grid_size, command.group_count) == (None, None, None)
    command.finalize([32, 1, 1], 1000)
    assert command.group_size == (32, 1, 1)
    assert command.grid_size == (1000, 1, 1)
    assert command.group_count == (32, 1, 1)


def test_a_command_shows_the_group_that_the_backend_chose(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    command = schedule.create_command(library.get_kernel("scale"), (buffer, 2.0), None, 1024)
    assert command.group_size is not None
    assert command.group_count is not None
    assert command.group_size[0] * command.group_count[0] >= 1024


def test_a_command_without_a_kernel_has_no_launch(
    schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    assert schedule.create_fill_command(buffer, 0).group_size is None


def test_finalize_takes_local_memory_third(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    command = schedule.create_command(library.get_kernel("scale"), (buffer, 2.0))
    command.finalize(32, 1024, 64)
    with pytest.raises(TypeError, match="local_memory has to be an int"):
        command.finalize(32, 1024, "64")  # type: ignore[arg-type]


def test_a_pending_event_is_shown_as_pending(device: nexus.Device) -> None:
    gate, stream = device.create_event(), device.create_stream()
    stream.wait(gate, 1)
    event = stream.record()
    assert repr(event) == "<nexus.Event Signal, value 0, pending>"
    gate.signal(1)
    event.wait(timeout=60)
    assert repr(event) == "<nexus.Event Signal, value 1, done>"
    assert repr(gate) == "<nexus.Event Shared, value 1>"
    gate.close()
    assert repr(gate) == "<nexus.Event closed>"
