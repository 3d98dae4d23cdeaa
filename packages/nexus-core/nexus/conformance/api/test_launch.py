# SPDX-License-Identifier: Apache-2.0
"""Launches: grids and groups of each dimension, ids, local memory, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, Workbench, attempted, refused, values

Size = tuple[int, int, int]


def most_items(device: nexus.Device) -> int:
    """Returns the largest group's size, or 64 if the device does not report it."""
    for name in ("MaxThreadsPerBlock", "MaxThreadsPerThreadgroup"):
        told = device.properties.get(name)
        if told is not None:
            return int(told)
    return 64


def three(size: tuple[int, ...]) -> Size:
    x, y, z = (*size, 1, 1)[:3]
    return x, y, z


LAUNCHES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((1,), (1,)),
    ((7,), (1,)),
    ((64,), (64,)),
    ((65,), (64,)),
    ((1000,), (3,)),
    ((5, 3), (1, 1)),
    ((17, 5), (8, 2)),
    ((4, 4), (16, 1)),
    ((3, 5, 7), (2, 2, 2)),
    ((1, 1, 9), (1, 1, 4)),
    ((2, 33, 2), (1, 16, 2)),
]


@pytest.mark.parametrize(("grid", "group"), LAUNCHES)
def test_each_item_has_its_ids_and_sizes(
    work: Workbench, grid: tuple[int, ...], group: tuple[int, ...]
) -> None:
    size, items = three(group), three(grid)
    count = tuple(math.ceil(n / s) for n, s in zip(items, size, strict=True))
    launched = tuple(c * s for c, s in zip(count, size, strict=True))
    out = work.device.create_buffer(np.full((*launched[::-1], 21), -1, np.int32))
    command = work.launch("write_ids", (out,), grid, group)
    assert (command.group_size, command.grid_size, command.group_count) == (size, items, count)
    seen = out.numpy()
    for z, y, x in np.ndindex(seen.shape[:3]):
        at = (x, y, z)
        expected = [
            *at,
            *(i // s for i, s in zip(at, size, strict=True)),
            *(i % s for i, s in zip(at, size, strict=True)),
            *size, *count, *items, *launched,
        ]  # fmt: skip
        assert seen[z, y, x].tolist() == expected


@pytest.mark.parametrize("grid", [(2**33,), (2**16, 2**17), (2**12, 2**11, 2**10)])
def test_a_grid_of_more_than_32_bits_is_taken_whole_or_refused(
    work: Workbench, grid: tuple[int, ...]
) -> None:
    command = work.device.create_schedule().create_command(
        work.kernels["count_up"], (work.ints(0, 1),)
    )
    failure = attempted(lambda: command.finalize(grid_size=grid))
    if failure is not None:
        assert isinstance(failure, ValueError)
        assert "grid_size" in str(failure)
        assert any(str(items) in str(failure) for items in grid)
        return
    size, count = command.group_size, command.group_count
    assert size is not None
    assert count is not None
    assert command.grid_size == three(grid)
    assert all(c * s >= n for c, s, n in zip(count, size, three(grid), strict=True))


@pytest.mark.parametrize("grid", [(1,), (37,), (1000,), (13, 7), (5, 4, 3)])
def test_the_backend_chooses_a_group_size_that_covers_the_grid(
    work: Workbench, grid: tuple[int, ...]
) -> None:
    counter = work.ints(0, 1)
    command = work.launch("count_up", (counter,), grid)
    size, count = command.group_size, command.group_count
    assert size is not None
    assert count is not None
    assert math.prod(size) <= most_items(work.device)
    items = three(grid)
    for d in range(3):
        assert (count[d] - 1) * size[d] < items[d] <= count[d] * size[d]
    assert counter.numpy()[0] == math.prod(grid)


def test_a_count_of_groups_makes_the_grid(work: Workbench) -> None:
    counter, schedule = work.ints(0, 1), work.device.create_schedule()
    command = schedule.create_command(work.kernels["count_up"], (counter,))
    command.finalize((4, 2), group_count=(3, 5))
    schedule.run(timeout=LONG)
    assert (command.grid_size, command.group_count) == ((12, 10, 1), (3, 5, 1))
    assert counter.numpy()[0] == 120


@pytest.mark.parametrize("items", [1, 2, 63, 64, 65, 1000, 100_003])
def test_a_bounded_kernel_touches_nothing_behind_the_grid(work: Workbench, items: int) -> None:
    out = work.ints(1, items + 100)
    work.launch("fill_i32", (out, np.int32(2)), items, min(64, items))
    assert np.array_equal(out.numpy(), np.repeat(np.array([2, 1], np.int32), [items, 100]))


def test_groups_of_the_largest_size_run(work: Workbench) -> None:
    most = most_items(work.device)
    kernel = work.kernels["count_up"]
    most = min(most, kernel.attributes.max_group_size or most)
    counter = work.ints(0, 1)
    work.launch("count_up", (counter,), 2 * most + 1, most)
    assert counter.numpy()[0] == 2 * most + 1


def test_groups_beyond_the_devices_limit_are_refused(work: Workbench) -> None:
    most = most_items(work.device)
    schedule, counter = work.device.create_schedule(), work.ints(0, 1)
    command = schedule.create_command(work.kernels["count_up"], (counter,))
    for group in (2**40, (2**20, 2**20, 2**20), most * 64):
        with pytest.raises(ValueError, match="group_size"):
            command.finalize(group, 1)
        assert command.group_size is None
    command.finalize(1, 1)
    schedule.run(timeout=LONG)
    assert counter.numpy()[0] == 1


@pytest.mark.parametrize("size", [-1, (1, -1), (1, 1, 1, 1), ()])
def test_sizes_that_are_none_are_refused(work: Workbench, size: Any) -> None:
    command = work.device.create_schedule().create_command(work.kernels["empty"])
    with pytest.raises(ValueError, match="grid_size"):
        command.finalize(1, size)
    with pytest.raises(ValueError, match="group_size"):
        command.finalize(size, 1)


@pytest.mark.parametrize("size", [0, (1, 0)])
def test_a_group_is_not_empty(work: Workbench, size: Any) -> None:
    command = work.device.create_schedule().create_command(work.kernels["empty"])
    with pytest.raises(ValueError, match="group_size"):
        command.finalize(size, 1)


@pytest.mark.promise("share-empty")
@pytest.mark.parametrize("group", [None, 4])
@pytest.mark.parametrize("grid", [0, (4, 0), (0, 0, 0)])
def test_an_empty_launch_does_nothing(work: Workbench, grid: Any, group: int | None) -> None:
    counter = work.ints(0, 1)
    command = work.launch("count_up", (counter,), grid, group)
    assert math.prod(command.grid_size or (1,)) == 0
    assert math.prod(command.group_count or (1,)) == 0
    assert counter.numpy()[0] == 0


def test_a_command_may_become_empty_and_full_again_in_its_place(work: Workbench) -> None:
    out, copy = work.ints(0, 4), work.ints(0, 4)
    schedule = work.device.create_schedule()
    schedule.create_fill_command(out, 1)
    filling = schedule.create_command(work.kernels["fill_i32"], (out, np.int32(2)), 1, 0)
    schedule.create_copy_command(copy, out)
    for grid, expected in ((0, 1), (4, 2), (0, 1), (4, 2)):
        filling.finalize(1, grid)
        for _ in range(2):
            schedule.run(timeout=LONG)
            assert copy.numpy().tolist() == [expected] * 4
    assert len(schedule.get_commands()) == 3


def test_an_empty_buffer_is_an_argument(work: Workbench) -> None:
    whole = work.ints(3, 8)
    for empty in (work.device.create_buffer((0,), dtype="int32"), whole[8:], whole[5:5]):
        work.launch("count_up", (empty,), 0)
        schedule = work.device.create_schedule()
        schedule.create_fill_command(empty, 1)
        schedule.create_copy_command(empty, whole[3:3])
        schedule.run(timeout=LONG)
        assert empty.numpy().tolist() == []
    assert whole.numpy().tolist() == [3] * 8


# ---- Local memory and barriers ----


@pytest.mark.parametrize(
    ("items", "group"), [(1, 1), (64, 64), (64, 8), (100, 16), (37, 5), (3, 7)]
)
def test_local_memory_that_is_an_argument_is_shared_across_a_barrier(
    work: Workbench, items: int, group: int
) -> None:
    data = np.random.default_rng(items).integers(-1000, 1000, items).astype(np.int32)
    groups = math.ceil(items / group)
    sums = work.ints(-1, groups)
    work.launch("group_sum", (work.device.create_buffer(data), sums), items, group, {2: 4 * group})
    padded = np.zeros(groups * group, np.int32)
    padded[:items] = data
    assert np.array_equal(sums.numpy(), padded.reshape(groups, group).sum(1))


@pytest.mark.parametrize("group", [1, 2, 5, 32, 64])
def test_an_array_of_the_kernel_is_shared_across_a_barrier(work: Workbench, group: int) -> None:
    data = np.arange(6 * group, dtype=np.int32)
    x = work.device.create_buffer(data)
    work.launch("reverse_groups", (x,), data.size, group)
    assert np.array_equal(x.numpy(), data.reshape(6, group)[:, ::-1].ravel())


def test_all_local_memory_that_the_device_has_may_be_used(work: Workbench) -> None:
    most = int(work.device.properties.get("MaxThreadgroupMemorySize", 16384))
    own = work.kernels["group_sum"].attributes.local_memory_size
    sums, data = work.ints(-1, 2), work.ints(3, 8)
    work.launch("group_sum", (data, sums), 8, 4, {2: most - own})
    assert values(sums) == {12}


def test_local_memory_beyond_the_devices_is_refused(work: Workbench) -> None:
    schedule, sums, data = work.device.create_schedule(), work.ints(-1, 2), work.ints(3, 8)
    command = schedule.create_command(work.kernels["group_sum"])
    command.set_buffer(0, data)
    command.set_buffer(1, sums)

    def launch() -> None:
        command.set_local_memory(2, 2**40)
        command.finalize(4, 8)
        schedule.run(timeout=LONG)

    with pytest.raises((ValueError, nexus.NexusError)):
        launch()


def test_atomics_of_many_items_lose_nothing(work: Workbench) -> None:
    counter = work.ints(0, 1)
    schedule = work.device.create_schedule()
    kernel = work.kernels["count_up"]
    schedule.create_command(kernel, (counter,), 32, 10_000)
    streams = [work.device.create_stream() for _ in range(3)]
    others = [work.device.create_schedule() for _ in streams]
    for other, stream in zip(others, streams, strict=True):
        other.create_command(kernel, (counter,), None, 10_000)
        other.run(stream, blocking=False)
    schedule.run(timeout=LONG)
    work.device.synchronize(LONG)
    assert counter.numpy()[0] == 40_000


def test_an_empty_schedule_and_an_empty_kernel_run(work: Workbench) -> None:
    stream = work.device.create_stream()
    work.device.create_schedule().run(stream, timeout=LONG)
    work.launch("empty", (), 100)
    work.launch("empty", (), (1, 1, 1), (1, 1, 1))
    assert stream.is_idle


@pytest.mark.needs("ArgumentInfo")
def test_a_command_that_lacks_an_argument_is_refused(work: Workbench) -> None:
    schedule = work.device.create_schedule()
    command = schedule.create_command(work.kernels["fill_i32"])
    command.set_buffer(0, work.ints())
    with pytest.raises((TypeError, nexus.NexusError)):
        command.finalize(1, 1)
    assert refused(lambda: schedule.run(timeout=LONG)).status == nexus.status.NXS_InvalidCommand
