# SPDX-License-Identifier: Apache-2.0
"""Signal, wait and copy commands, waits for streams, and what a launch shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus


def test_set_value_is_what_the_next_run_uses(
    device: nexus.Device, schedule: nexus.Schedule
) -> None:
    event = device.create_event()
    command = schedule.create_signal_command(event, 1)
    schedule.run()
    command.set_value(10, step=5)
    for expected in (10, 15, 20):
        schedule.run()
        assert event.value == expected
    command.set_value(100)
    for expected in (100, 101):
        schedule.run()
        assert event.value == expected


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((-1,), ValueError, "value is -1"),
        ((1.5,), TypeError, "value has to be an int"),
        ((1, "2"), TypeError, "step has to be an int"),
    ],
)
def test_what_is_no_value_of_a_command(
    device: nexus.Device, schedule: nexus.Schedule, arguments: Any, kind: type[Exception], text: str
) -> None:
    command = schedule.create_signal_command(device.create_event())
    with pytest.raises(kind, match=text):
        command.set_value(*arguments)


def test_a_kernel_command_has_no_value(doubling: nexus.Schedule) -> None:
    with pytest.raises(nexus.NexusError) as error:
        doubling.get_commands()[0].set_value(1)
    assert error.value.status == nexus.status.NXS_InvalidOperation


def test_a_copy_command_takes_destination_and_source(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    copied = device.create_buffer((1024,))
    schedule.create_copy_command(dst=copied, src=buffer)
    schedule.run()
    np.testing.assert_array_equal(copied.numpy(), floats)


def test_prepare_takes_a_stream_or_none(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    doubling.prepare()
    doubling.prepare(device.create_stream())
    np.testing.assert_array_equal(buffer.numpy(), floats)
    doubling.run()
    np.testing.assert_array_equal(buffer.numpy(), floats * 2)


def test_prepare_needs_finalized_commands(schedule: nexus.Schedule, library: nexus.Library) -> None:
    schedule.create_command(library.get_kernel("scale"))
    with pytest.raises(nexus.NexusError) as error:
        schedule.prepare()
    assert error.value.status == nexus.status.NXS_InvalidCommand


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


def test_a_command_that_can_not_be_finalized_leaves_no_trace(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    kernel = library.get_kernel("scale")
    with pytest.raises(nexus.NexusError):
        schedule.create_command(kernel, (buffer,), 32, 1024)
    assert len(schedule.get_commands()) == 0
    schedule.run()


def test_a_stream_waits_for_another_stream(
    device: nexus.Device, buffer: nexus.Buffer, doubling: nexus.Schedule, floats: Any
) -> None:
    gate, first, second = device.create_event(), device.create_stream(), device.create_stream()
    first.wait(gate, 1)
    doubling.run(first, blocking=False)
    second.wait(first)
    doubling.run(second, blocking=False)
    assert not second.is_idle
    gate.signal(1)
    second.synchronize()
    np.testing.assert_array_equal(buffer.numpy(), floats * 4)


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
