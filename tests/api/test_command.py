# SPDX-License-Identifier: Apache-2.0
"""Commands: arguments and sizes of a launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus

Sizes = tuple[list[int], list[int], list[int]]


@pytest.fixture
def command(schedule: nexus.Schedule, library: nexus.Library) -> nexus.Command:
    """A command of the kernel `scale`, without arguments."""
    return schedule.create_command(library.get_kernel("scale"))


def launched(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, *sizes: Any, **more: Any
) -> Sizes:
    """Group size, group count and grid size that a kernel sees."""
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


def test_three_dimensions(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    seen = launched(device, schedule, library, (4, 2, 1), [8, 6, 3])
    assert seen == ([4, 2, 1], [2, 3, 3], [8, 6, 3])


def test_whole_groups_are_launched_and_the_grid_is_what_was_asked_for(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    seen = launched(device, schedule, library, 32, 100)
    assert seen == ([32, 1, 1], [4, 1, 1], [100, 1, 1])


def test_groups_may_be_counted_instead(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    seen = launched(device, schedule, library, 32, group_count=(3, 2))
    assert seen == ([32, 1, 1], [3, 2, 1], [96, 2, 1])


def test_the_backend_chooses_a_group(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    group, count, grid = launched(device, schedule, library, grid_size=1000)
    assert grid == [1000, 1, 1]
    assert group[0] * count[0] >= 1000


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *(("group_size", size) for size in (0, -1, [0, 1, 1], (1, -1), 2**63)),
        *(("grid_size", size) for size in (-1, (1, -1), 2**63)),
    ],
)
def test_sizes_that_are_none_are_value_errors(command: nexus.Command, name: str, size: Any) -> None:
    sizes: dict[str, Any] = {"group_size": 1, "grid_size": 1, name: size}
    with pytest.raises(ValueError, match=name):
        command.finalize(**sizes)


@pytest.mark.parametrize("size", [[], [1, 1, 1, 1]])
def test_sizes_of_no_or_four_dimensions_are_value_errors(command: nexus.Command, size: Any) -> None:
    with pytest.raises(ValueError, match=r"grid_size is .*one to three"):
        command.finalize(1, size)


@pytest.mark.parametrize("size", [1.0, "32", True, {32}, [1.0], ["1"]])
def test_sizes_of_other_types_are_type_errors(command: nexus.Command, size: Any) -> None:
    with pytest.raises(TypeError, match="group_size"):
        command.finalize(size, 1024)


def test_a_launch_needs_a_grid(command: nexus.Command) -> None:
    with pytest.raises(TypeError, match="grid_size"):
        command.finalize(32)
    with pytest.raises(TypeError, match="not both"):
        command.finalize(32, 1024, group_count=32)


def test_a_missing_argument_is_refused_at_finalize(
    command: nexus.Command, buffer: nexus.Buffer
) -> None:
    command.set_buffer(0, buffer)
    with pytest.raises(nexus.NexusError, match="factor"):
        command.finalize(32, 1024)


def test_an_argument_that_the_kernel_has_not_is_refused(
    command: nexus.Command, buffer: nexus.Buffer
) -> None:
    with pytest.raises(ValueError, match="index is 2: the kernel 'scale' has 2 arguments"):
        command.set_arg(2, 1.0)
    command.set_arg(0, buffer)
    command.set_arg(1, 1.0)
    with pytest.raises(ValueError, match="index is 2: the kernel 'scale' has 2 arguments"):
        command.set_buffer(2, buffer)
    command.finalize(32, 1024)  # what was refused is not in the way


@pytest.mark.parametrize(
    ("index", "kind"), [(-1, ValueError), (64, ValueError), ("0", TypeError), (True, TypeError)]
)
def test_what_is_no_index(
    command: nexus.Command, buffer: nexus.Buffer, index: Any, kind: type[Exception]
) -> None:
    with pytest.raises(kind, match="index"):
        command.set_buffer(index, buffer)


def test_what_is_no_buffer_is_a_type_error(command: nexus.Command, floats: Any) -> None:
    with pytest.raises(TypeError, match=r"buffer has to be a nexus\.Buffer, not numpy\.ndarray"):
        command.set_buffer(0, floats)


def test_a_number_for_a_buffer_is_a_type_error(command: nexus.Command) -> None:
    with pytest.raises(TypeError, match=r"argument 0 \('x'\) has to be a nexus\.Buffer"):
        command.set_arg(0, 1.0)


def test_set_arg_takes_a_buffer(
    command: nexus.Command, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    command.set_arg(0, buffer)
    command.set_arg(1, 3.0)
    command.finalize(32, 1024)
    schedule.run()
    assert buffer.numpy()[2] == 6.0


def test_arguments_that_change_apply_to_later_runs(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, floats: Any
) -> None:
    doubling.run()
    other = device.create_buffer(floats)
    command = doubling.get_commands()[0]
    command.set_buffer(0, other)
    command.set_arg(1, 5.0)
    doubling.run()
    np.testing.assert_array_equal(buffer.numpy(), floats * 2)
    np.testing.assert_array_equal(other.numpy(), floats * 5)


def test_a_command_knows_its_kernel(library: nexus.Library, command: nexus.Command) -> None:
    assert command.get_kernel().name == "scale"


def test_a_kernel_command_has_no_event(command: nexus.Command) -> None:
    with pytest.raises(nexus.NexusError) as error:
        command.get_event()
    assert error.value.status == nexus.status.NXS_InvalidOperation


def test_a_plain_c_function_is_called_for_each_work_item(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, floats: Any
) -> None:
    x, y = device.create_buffer(floats), device.create_buffer(floats)
    command = schedule.create_command(library.get_kernel("plain_saxpy"))
    command.set_buffer(0, x)
    command.set_buffer(1, y)
    command.set_arg(2, np.float32(2.0))
    command.finalize(32, 1024)
    schedule.run()
    np.testing.assert_array_equal(y.numpy(), floats * 3)
