# SPDX-License-Identifier: Apache-2.0
"""Slices as arguments: a kernel gets the right address, or the offset is refused."""

from __future__ import annotations

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import LONG, Workbench, attempted

SIZE = 4096


def alignment_of(device: nexus.Device) -> int:
    """Returns the alignment of an argument's offset; 1 if the device does not report it."""
    return int(device.properties.get("BufferOffsetAlignment", 1))


@pytest.mark.promise("share-slice")
@pytest.mark.parametrize("multiple", [1, 2, 3, 5])
def test_a_slice_at_the_devices_alignment_is_an_argument(work: Workbench, multiple: int) -> None:
    first = multiple * alignment_of(work.device)
    data = np.random.default_rng(multiple).integers(0, 256, first + 100, np.uint8)
    source = work.device.create_buffer(data)
    target = work.device.create_buffer(np.zeros(first + 100, np.uint8))
    work.launch("copy_u8", (source[first:], target[first:]), 100)
    expected = np.zeros(first + 100, np.uint8)
    expected[first:] = data[first:]
    assert np.array_equal(target.numpy(), expected)


@pytest.mark.promise("share-slice", "failure-at-once")
@pytest.mark.parametrize("first", [1, 2, 3, 4, 7, 12, 16, 63, 64, 100, 255, 256])
def test_a_slice_at_any_offset_is_right_or_refused(work: Workbench, first: int) -> None:
    data = np.random.default_rng(first).integers(0, 256, SIZE, np.uint8)
    source, target = work.device.create_buffer(data), work.device.create_buffer(data)
    schedule = work.device.create_schedule()
    aligned = first % alignment_of(work.device) == 0
    args = (source[first:], target)
    kernel = work.kernels["copy_u8"]
    made = attempted(lambda: schedule.create_command(kernel, args, None, SIZE - first))
    if isinstance(made, Exception):
        assert not aligned
        assert "lignment" in str(made) or str(first) in str(made)
        return
    schedule.run(timeout=LONG)
    expected = data.copy()
    expected[: SIZE - first] = data[first:]
    assert np.array_equal(target.numpy(), expected)


@pytest.mark.promise("share-slice")
def test_a_slice_of_a_slice_is_where_it_says(work: Workbench) -> None:
    data = np.arange(200, dtype=np.int32).reshape(10, 20)
    buffer = work.device.create_buffer(data)
    part = buffer[2:8][1:3, :]
    assert np.array_equal(part.numpy(), data[3:5])
    part[0:1, 5:7].fill(-1)
    data[3, 5:7] = -1
    assert np.array_equal(buffer.numpy(), data)


@pytest.mark.promise("life-keep")
def test_a_slice_keeps_the_memory(work: Workbench) -> None:
    part = work.ints(3, 100)[50:]
    assert set(part.numpy().tolist()) == {3}


def test_parts_that_are_none_are_refused(work: Workbench) -> None:
    buffer = work.ints(0, 10)
    with pytest.raises(IndexError):
        buffer[0:1, 0:1]
    with pytest.raises(IndexError, match="out of range"):
        buffer[10]
    with pytest.raises(TypeError):
        buffer[[1, 2]]  # type: ignore[index]
