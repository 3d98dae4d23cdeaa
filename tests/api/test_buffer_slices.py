# SPDX-License-Identifier: Apache-2.0
"""Slices: buffer[2:10] shares the memory of the buffer, and keeps it alive."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nexus

Part = slice | types.EllipsisType
Key = Part | tuple[Part, ...]


@pytest.fixture
def matrix(device: nexus.Device) -> nexus.Buffer:
    """Returns four rows of eight different numbers."""
    return device.create_buffer(np.arange(32, dtype=np.int32).reshape(4, 8))


def test_a_slice_outlives_the_close_of_its_buffer(buffer: nexus.Buffer) -> None:
    part = buffer[5:8]
    buffer.close()
    assert part.numpy().tolist() == [5, 6, 7]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (np.s_[-3:], [[8, 9], [10, 11], [12, 13]]),
        (np.s_[:1], [[0, 1]]),
        (np.s_[-2:-1], [[10, 11]]),
        (np.s_[5:100], [[10, 11], [12, 13]]),
        (np.s_[...], [[2 * row, 2 * row + 1] for row in range(7)]),
        (np.s_[2:3, ...], [[4, 5]]),
        (np.s_[..., :], [[2 * row, 2 * row + 1] for row in range(7)]),
        (np.s_[2:3, 1:], [[5]]),
        (np.s_[2:3, ..., 0:1], [[4]]),
        (np.s_[2:4:1], [[4, 5], [6, 7]]),
    ],
)
def test_the_elements_of_a_slice(device: nexus.Device, key: Key, expected: Any) -> None:
    buffer = device.create_buffer(np.arange(14, dtype=np.int32).reshape(7, 2))
    assert buffer[key].numpy().tolist() == expected


def test_a_slice_of_plain_bytes(device: nexus.Device) -> None:
    part = device.create_buffer(b"a buffer of bytes")[2:8]
    assert (part.dtype, bytes(part.numpy())) == (None, b"buffer")


def test_indices_may_be_numpys(buffer: nexus.Buffer) -> None:
    assert buffer[np.int64(3) : np.int64(5)].numpy().tolist() == [3.0, 4.0]


@given(data=st.data())
def test_slices_take_what_numpys_take(device: nexus.Device, data: st.DataObject) -> None:
    """A key gives the same elements as numpy's, or an error since they are not contiguous."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    bound = st.none() | st.integers(-6, 6)
    part = st.builds(slice, bound, bound, st.none() | st.just(1))
    key = data.draw(st.lists(part, min_size=1, max_size=len(shape)).map(tuple))
    array = np.arange(math.prod(shape), dtype=np.int16).reshape(shape)
    expected = array[key]
    buffer = device.create_buffer(array)
    if not expected.flags.c_contiguous:
        with pytest.raises(ValueError, match="not contiguous"):
            buffer[key]
    else:
        taken = buffer[key]
        assert (taken.shape, taken.dtype, taken.device) == (expected.shape, "int16", device)
        np.testing.assert_array_equal(taken.numpy(), expected)
        taken.fill(-1)
        array[key] = -1
        np.testing.assert_array_equal(buffer.numpy(), array)


def test_a_slice_may_be_empty(buffer: nexus.Buffer) -> None:
    for part in (buffer[2:2], buffer[5:2], buffer[buffer.shape[0] :]):
        assert (part.shape, part.nbytes) == ((0,), 0)
        part.fill(1)
        assert part.numpy().tolist() == []
    assert buffer[2:2][0:0].shape == (0,)


def test_copies_do_not_reach_beyond_a_slice(buffer: nexus.Buffer) -> None:
    with pytest.raises(ValueError, match="array has 20 bytes, but the buffer has 16"):
        buffer[4:8].copy_from(np.zeros(5, np.float32))


def test_four_bit_elements_are_taken_in_whole_bytes(device: nexus.Device) -> None:
    buffer = device.create_buffer((7,), dtype="int4")
    buffer.copy_from(bytes([0x10, 0x32, 0x54, 0x06]))
    part = buffer[2:7]
    host = bytearray(part.nbytes)
    part.copy(host)
    assert (part.shape, bytes(host)) == ((5,), bytes([0x32, 0x54, 0x06]))


@pytest.mark.parametrize("key", [slice(1, 4), slice(2, 5)])
def test_four_bit_elements_that_share_a_byte_with_others_are_refused(
    device: nexus.Device, key: slice
) -> None:
    with pytest.raises(ValueError, match=r"within a byte: two int4 share one"):
        device.create_buffer((7,), dtype="int4")[key]


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (3, TypeError, r"buffer\[3\]: a buffer has slices and no elements.*buffer\[i:i \+ 1\]"),
        (np.int64(3), TypeError, r"has slices and no elements"),
        ((slice(1), 3), TypeError, r"buffer\[:1, 3\]: a buffer has slices"),
        ("x", TypeError, r"has to be a slice.*not str \('x'\)"),
        (True, TypeError, r"has to be a slice.*not bool"),
        (None, TypeError, r"has to be a slice.*not NoneType"),
        ([0, 1], TypeError, r"has to be a slice.*not list"),
        (slice(1.5, 2), TypeError, r"slice indices must be integers"),
        (slice(0, 4, 2), ValueError, r"buffer\[0:4:2\] has the step 2.*buffer\.numpy\(\)"),
        (slice(None, None, -1), ValueError, r"has the step -1"),
        (slice(0, 4, 0), ValueError, r"zero"),
        (np.s_[:, 2:4], ValueError, r"buffer\[:, 2:4\] is not contiguous"),
        (np.s_[..., ...], ValueError, r"more than one Ellipsis"),
        (np.s_[:, :, :], IndexError, r"has 3 slices, but the buffer has 2 dimensions"),
    ],
)
def test_what_is_no_slice_of_a_buffer_is_refused_in_words(
    matrix: nexus.Buffer, key: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        matrix[key]
    assert matrix[1:2].numpy().tolist() == [[8, 9, 10, 11, 12, 13, 14, 15]]


def test_a_buffer_is_no_sequence(buffer: nexus.Buffer) -> None:
    uses: list[Callable[[Any], Any]] = [iter, reversed, len, lambda value: 1.0 in value]
    for use in uses:
        with pytest.raises(TypeError):
            use(buffer)


def test_elements_can_not_be_assigned(buffer: nexus.Buffer) -> None:
    with pytest.raises(TypeError):
        buffer[1:2] = 0.0  # type: ignore[index]
