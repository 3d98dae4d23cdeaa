# SPDX-License-Identifier: Apache-2.0
"""Commands: kernels with arguments and launch sizes, copies, fills, signals and waits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus

Sizes = tuple[list[int], list[int], list[int]]


@pytest.fixture
def command(schedule: nexus.Schedule, library: nexus.Library) -> nexus.Command:
    """Returns a command of the kernel `scale`, without arguments."""
    return schedule.create_command(library.get_kernel("scale"))


def launched(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, *sizes: Any, **more: Any
) -> Sizes:
    """Returns the group size, group count and grid size that a kernel sees."""
    out = device.create_buffer((9,), dtype="int32")
    command = schedule.create_command(library.get_kernel("sizes"))
    command.set_buffer(0, out)
    command.finalize(*sizes, **more)
    schedule.run()
    seen = out.numpy().tolist()
    return seen[:3], seen[3:6], seen[6:]


@pytest.mark.parametrize(
    ("group", "grid"),
    [(32, 1024), ([32, 1, 1], [1024, 1, 1]), ((32,), (1024,)), (np.int32(32), np.uint64(1024))],
)
def test_ints_lists_and_tuples_say_the_same(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, group: Any, grid: Any
) -> None:
    seen = launched(device, schedule, library, group, grid)
    assert seen == ([32, 1, 1], [32, 1, 1], [1024, 1, 1])


def test_set_arg_takes_a_buffer(
    command: nexus.Command, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    command.set_arg(0, buffer)
    command.set_arg(1, 3.0)
    command.finalize(32, 1024)
    schedule.run()
    assert buffer.numpy()[2] == 6.0


def test_a_command_knows_its_kernel(command: nexus.Command) -> None:
    assert command.get_kernel().name == "scale"


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


@pytest.mark.parametrize(
    ("group", "grid", "warned"),
    [
        (64, 32, True),
        ([64, 1, 1], [32, 2, 1], False),
        (32, 1024, False),
        (64, 33, False),  # no usual group, so just few work items
        (64, 0, False),
        (None, 32, False),
    ],
)
def test_sizes_that_look_exchanged_are_in_the_log(
    schedule: nexus.Schedule,
    library: nexus.Library,
    buffer: nexus.Buffer,
    caplog: pytest.LogCaptureFixture,
    group: Any,
    grid: Any,
    warned: bool,
) -> None:
    schedule.create_command(library.get_kernel("scale"), (buffer, 2.0), group, grid)
    expected = "group_size is (64, 1, 1) and grid_size, in work items, is (32, 1, 1)"
    assert [expected in line for line in caplog.messages] == [True] * warned


def test_a_count_of_groups_is_not_taken_for_exchanged(
    schedule: nexus.Schedule,
    library: nexus.Library,
    buffer: nexus.Buffer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    command = schedule.create_command(library.get_kernel("scale"), (buffer, 2.0))
    command.finalize(64, group_count=32)
    assert caplog.messages == []


def test_set_value_without_a_step_takes_the_step_1(
    device: nexus.Device, schedule: nexus.Schedule
) -> None:
    event = device.create_event()
    schedule.create_signal_command(event, 1, step=5).set_value(10)
    for expected in (10, 11):
        schedule.run()
        assert event.value == expected


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
