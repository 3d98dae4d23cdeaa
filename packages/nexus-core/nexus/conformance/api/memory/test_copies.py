# SPDX-License-Identifier: Apache-2.0
"""Copies and fills: every kind, every size, and refusals."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, refused, values

SIZES = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 100_003]


def some_bytes(size: int, seed: int = 0) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Returns bytes without a regular pattern."""
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8)


@pytest.mark.promise("share-copied")
@pytest.mark.parametrize("size", SIZES)
def test_every_byte_arrives_both_ways(work: Workbench, size: int) -> None:
    data = some_bytes(size)
    buffer = work.device.create_buffer(data)
    assert buffer.nbytes == size
    back = np.zeros(size + 2, np.uint8)
    buffer.copy(back[1:-1])
    assert np.array_equal(back[1:-1], data)
    assert back[0] == back[-1] == 0
    other = some_bytes(size, 1)
    buffer.copy_from(other)
    assert np.array_equal(buffer.numpy(), other)


@pytest.mark.parametrize("size", SIZES)
def test_every_byte_arrives_between_buffers(work: Workbench, size: int) -> None:
    data = some_bytes(size)
    source = work.device.create_buffer(data)
    by_call, by_command = (work.device.create_buffer(np.zeros(size, np.uint8)) for _ in range(2))
    by_call.copy_from(source)
    schedule = work.device.create_schedule()
    schedule.create_copy_command(by_command, source)
    schedule.run(timeout=LONG)
    for each in (by_call, by_command, work.device.copy_buffer(source)):
        assert np.array_equal(each.numpy(), data)


@pytest.mark.promise("share-slice")
@pytest.mark.parametrize(
    ("first", "last"), [(0, 1), (1, 2), (1, 8), (3, 1000), (511, 513), (0, 1024)]
)
def test_copies_and_fills_of_a_part_touch_nothing_else(
    work: Workbench, first: int, last: int
) -> None:
    expected = some_bytes(1024)
    buffer = work.device.create_buffer(expected)
    part = buffer[first:last]
    assert np.array_equal(part.numpy(), expected[first:last])
    expected[first:last] = some_bytes(last - first, 1)
    part.copy_from(expected[first:last].copy())
    assert np.array_equal(buffer.numpy(), expected)
    expected[first:last] = 0xA5
    part.fill(0xA5)
    assert np.array_equal(buffer.numpy(), expected)
    host = np.zeros(last - first, np.uint8)
    part.copy(host)
    assert (host == 0xA5).all()


@pytest.mark.promise("share-slice")
@pytest.mark.parametrize("how", ["call", "command"])
def test_parts_of_one_buffer_are_copied_where_they_do_not_overlap(
    work: Workbench, how: str
) -> None:
    expected = some_bytes(300)
    buffer = work.device.create_buffer(expected)
    expected[101:150] = expected[3:52]
    if how == "call":
        buffer[101:150].copy_from(buffer[3:52])
    else:
        schedule = work.device.create_schedule()
        schedule.create_copy_command(buffer[101:150], buffer[3:52])
        schedule.run(timeout=LONG)
    assert np.array_equal(buffer.numpy(), expected)


@pytest.mark.parametrize(
    ("to", "source"), [((0, 20), (0, 20)), ((0, 20), (19, 39)), ((19, 39), (0, 20))]
)
@pytest.mark.parametrize("how", ["call", "command"])
def test_parts_that_overlap_are_refused(
    work: Workbench, to: tuple[int, int], source: tuple[int, int], how: str
) -> None:
    data = some_bytes(64)
    buffer = work.device.create_buffer(data)
    one, other = buffer[slice(*to)], buffer[slice(*source)]
    schedule = work.device.create_schedule()
    error = refused(
        lambda: one.copy_from(other) if how == "call" else schedule.create_copy_command(one, other)
    )
    assert error.status == nexus.status.NXS_MemCopyOverlap
    assert np.array_equal(buffer.numpy(), data)
    assert len(schedule.get_commands()) == 0


@pytest.mark.promise("life-host-array")
def test_a_copy_that_does_not_block_keeps_the_array(work: Workbench) -> None:
    stream, go = work.device.create_stream(), work.device.create_event()
    buffer, result = work.ints(), np.zeros(COUNT, np.int32)
    array = np.full(COUNT, 8, np.int32)
    seen = weakref.ref(array)
    stream.wait(go, 1)
    buffer.copy_from(array, stream=stream, blocking=False)
    del array
    gc.collect()
    assert seen() is not None
    go.signal(1)
    buffer.copy(result, stream=stream, blocking=False)
    stream.synchronize(LONG)
    assert set(result.tolist()) == {8}
    buffer.numpy()
    work.device.synchronize(LONG)
    stream.close()
    gc.collect()
    assert seen() is None


@pytest.mark.promise("share-copied")
def test_after_a_blocking_copy_the_array_is_the_callers_again(work: Workbench) -> None:
    stream = work.device.create_stream()
    array, buffer = np.full(1 << 20, 1, np.int32), work.ints(0, 1 << 20)
    work.spinning().run(stream, blocking=False)
    buffer.copy_from(array, stream=stream)
    array[:] = 2
    assert values(buffer) == {1}


@pytest.mark.promise("share-copied")
def test_numpy_is_a_copy(work: Workbench) -> None:
    buffer = work.ints(1)
    taken = buffer.numpy()
    taken[:] = 2
    assert values(buffer) == {1}


def test_gaps_need_a_copy_that_blocks_and_read_only_arrays_are_sources(work: Workbench) -> None:
    buffer, spread = work.ints(1), np.zeros((COUNT, 2), np.int32)
    frozen = np.zeros(COUNT, np.int32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="contiguous"):
        buffer.copy(spread[:, 0], blocking=False)
    with pytest.raises(ValueError, match="contiguous"):
        buffer.copy_from(spread[:, 0], blocking=False)
    buffer.copy(spread[:, 0])
    assert spread.tolist() == [[1, 0]] * COUNT
    with pytest.raises(ValueError, match="read-only"):
        buffer.copy(frozen)
    buffer.copy_from(frozen)
    assert values(buffer) == {0}


def test_another_size_or_dtype_is_refused(work: Workbench) -> None:
    buffer = work.ints(1)
    for call in (buffer.copy, buffer.copy_from):
        with pytest.raises(ValueError, match=str(4 * (COUNT + 1))):
            call(np.zeros(COUNT + 1, np.int32))
        with pytest.raises(TypeError, match="float32"):
            call(np.zeros(COUNT, np.float32))
    with pytest.raises(ValueError, match=str(4 * (COUNT + 1))):
        buffer.copy_from(work.ints(0, COUNT + 1))
    assert values(buffer) == {1}


def test_arrays_at_odd_addresses_are_copied(work: Workbench) -> None:
    memory = np.zeros(4 * COUNT + 3, np.uint8)
    odd = memory[3:].view(np.int32)
    odd[:] = np.arange(COUNT)
    buffer = work.device.create_buffer(odd)
    assert buffer.numpy().tolist() == list(range(COUNT))
    buffer.fill(5)
    buffer.copy(odd)
    assert set(odd.tolist()) == {5}


@pytest.mark.promise("order-backends", "order-copy-between")
def test_a_buffer_is_copied_from_and_to_another_device(
    work: Workbench, neighbour: nexus.Device
) -> None:
    data = some_bytes(100_003)
    ours = work.device.create_buffer(data)
    theirs = neighbour.copy_buffer(ours)
    assert theirs.device is neighbour
    assert np.array_equal(theirs.numpy(), data)
    theirs.fill(3)
    ours.copy_from(theirs)
    assert values(ours) == {3}
    assert values(work.device.copy_buffer(theirs)) == {3}


def test_sizes_that_no_buffer_has_are_refused(work: Workbench) -> None:
    for size in (-1, 2**63):
        with pytest.raises(ValueError, match="data"):
            work.device.create_buffer(size)


@pytest.mark.promise("failure-no-trace")
def test_more_memory_than_there_is_is_refused_and_leaves_nothing(work: Workbench) -> None:
    before = work.live("buffers")
    with pytest.raises((nexus.NexusError, MemoryError)) as raised:
        work.device.create_buffer(2**60)
    error = raised.value
    assert str(2**60) in str(error)
    assert work.live("buffers") == before
    assert values(work.ints(4)) == {4}
